package limits

import "time"

// Bounds of requests (interface §8). The edge refuses more, and clients and importers keep to them.
const (
	MaxBody         = 1 << 20  // bytes of a request's body
	MaxBulkBody     = 10 << 20 // of a bulk request's
	MaxNotification = 5 << 20  // of a platform's notification
	MaxLoginBody    = 4 << 10

	MaxImport  = 1_000 // products or categories of one bulk import
	MaxUpdates = 5_000 // prices or levels of one bulk update
	MaxFeed    = 1_000 // items of one page of a change feed

	MaxBulkChosen     = 1_000 // products that a bulk change names by their ids
	MaxBulkChannels   = 50
	MaxBulkCategories = 50

	MaxKeyLength = 255 // characters of an Idempotency-Key
	MaxAdvance   = 366 * 24 * time.Hour
)

// Bounds of records (interface §2, §8): items of lists, and characters of texts.
const (
	MaxOrderLines   = 500
	MaxLineQuantity = 1_000_000
	MaxNote         = 5_000 // notes, descriptions of lines
	MaxTrackingURL  = 2_000

	MaxVariants      = 50
	MaxImages        = 20
	MaxCategories    = 200 // of one product
	MaxProductName   = 500
	MaxWeight        = 100_000 // kilograms of one unit
	MaxTaxClass      = 100
	MaxDescription   = 100_000
	MaxAttributeCode = 100
	MaxImageURL      = 2_048

	MaxWarehouseCode = 64
	MaxLevels        = 5_000         // that one product sets, with its variants
	MaxStock         = 1_000_000_000 // pieces of one level, and of one movement
	MaxReason        = 1_000         // of a movement or transfer

	MaxAddresses      = 100 // of one customer
	MaxBulkShip       = 500 // orders of one bulk shipment
	MaxBulkTag        = 500 // orders of one bulk change of tags
	MaxDerived        = 500 // addresses that are derived from one customer's orders
	MaxTags           = 100 // of one customer
	MaxOrderTags      = 50  // of one order, and of one filter
	MaxOrderTag       = 64  // characters of one of them
	MaxSecondaries    = 100 // of one merge
	MaxVAT            = 20
	MaxCity           = 100
	MaxZip            = 20
	MaxAddressName    = 120
	MaxAddressCompany = 200

	MaxEmail         = 254
	MaxName          = 120     // of accounts, users, keys and channels
	MaxCredential    = 8 << 10 // bytes; refresh tokens run to about 2,000
	MaxEndpoints     = 100     // of one account
	MaxKeys          = 200     // API keys of one account that are not revoked
	MaxEndpointURL   = 2_048
	MaxEndpointAbout = 255
)

// Bounds of uploaded pictures (interface §4.5.1).
const (
	MaxPicture      = 10 << 20 // bytes of one
	MaxPictures     = 100_000  // of one account
	MaxPictureBytes = 50 << 30 // of one account's files
)

// Bounds of an account's exports (interface §4.3).
const (
	MaxExportsOpen   = 5       // that wait or run
	MaxExports       = 50      // those, and the files that are kept
	MaxExportsStored = 1 << 30 // bytes of the kept files as the store has them, compressed, when one more begins
	MaxExportRows    = 1_000_000
	MaxExportBytes   = 1 << 30 // of one file
)

// Bounds of what the dashboard holds for people.
const (
	MaxImports = 500 << 20 // bytes of an account's files that are not imported yet
	MaxStreams = 50        // of one session, on one node
)

// Rates of the bulk routes (interface §8), on top of the plan's.
var (
	BulkProducts   = Rate{Name: "bulk:products", PerMinute: 10}
	BulkCategories = Rate{Name: "bulk:categories", PerMinute: 10}
	BulkInventory  = Rate{Name: "bulk:inventory", PerMinute: 30}
	BulkPrices     = Rate{Name: "bulk:prices", PerMinute: 30}

	Uploads = Rate{Name: "media", PerMinute: 60} // of pictures, which take a processor for half a second each
)

// Rates of failed logins (interface §8): for one e-mail address from one network, and from all networks.
var (
	FailedLogins           = Rate{Name: "failed-logins", PerMinute: 10}
	FailedLoginsEverywhere = Rate{Name: "failed-logins", PerMinute: 30}
)
