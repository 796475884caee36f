package main

// demoProduct is one product of the sample shop, which sells for kitchen, desk and garden.
type demoProduct struct {
	sku, name, category, about string
	cents                      int64 // price in hundredths of a euro
	stock                      int64
	sizes                      []string // variants: the SKU with -<size>
}

var demoCategories = [][2]string{{"kitchen", "Kitchen"}, {"table", "Table"}, {"desk", "Desk"}, {"garden", "Garden"}}

var demoProducts = []demoProduct{
	{sku: "KIT-POT-IRON", name: "Cast-iron pot, 4 l", category: "kitchen", cents: 8900, stock: 24,
		about: "Enamelled inside, for every hob and the oven."},
	{sku: "KIT-PAN-28", name: "Carbon-steel pan, 28 cm", category: "kitchen", cents: 5450, stock: 41,
		about: "Gets better the more it is used."},
	{sku: "KIT-KNIFE-CHEF", name: "Chef's knife, 20 cm", category: "kitchen", cents: 7900, stock: 18,
		about: "Forged, with a handle of plum wood."},
	{sku: "KIT-KNIFE-PAR", name: "Paring knife", category: "kitchen", cents: 2490, stock: 60, about: "Small, sharp, indispensable."},
	{sku: "KIT-BOARD-OAK", name: "Oak cutting board", category: "kitchen", cents: 3990, stock: 33, about: "End grain, oiled by hand."},
	{sku: "KIT-GRATER", name: "Fine grater", category: "kitchen", cents: 1890, stock: 75, about: "For lemon peel, nutmeg and hard cheese."},
	{sku: "KIT-SIEVE", name: "Flour sieve", category: "kitchen", cents: 1490, stock: 52, about: "Stainless steel, 20 cm."},
	{sku: "KIT-APRON", name: "Linen apron", category: "kitchen", cents: 4200, stock: 30, sizes: []string{"S", "M", "L"},
		about: "Heavy linen, pockets where hands look for them."},
	{sku: "TAB-MUG-BLUE", name: "Blue mug", category: "table", cents: 990, stock: 140, about: "Stoneware, holds 300 ml."},
	{sku: "TAB-MUG-SAND", name: "Sand mug", category: "table", cents: 990, stock: 120, about: "Stoneware, holds 300 ml."},
	{sku: "TAB-BOWL-S", name: "Small bowl", category: "table", cents: 1290, stock: 88, about: "For olives, salt or a single fig."},
	{sku: "TAB-BOWL-L", name: "Salad bowl", category: "table", cents: 3490, stock: 27, about: "Feeds six."},
	{sku: "TAB-PLATE", name: "Dinner plate", category: "table", cents: 1590, stock: 160, about: "Off-white, 27 cm."},
	{sku: "TAB-GLASS-6", name: "Water glasses, six", category: "table", cents: 2490, stock: 45, about: "Thick bottom, stackable."},
	{sku: "TAB-CARAFE", name: "Carafe, 1 l", category: "table", cents: 2990, stock: 22, about: "Pours without dripping."},
	{sku: "TAB-NAPKIN-4", name: "Napkins, four", category: "table", cents: 2790, stock: 64, about: "Washed linen, in undyed grey."},
	{sku: "DSK-NOTE-A5", name: "Notebook A5", category: "desk", cents: 1290, stock: 210, about: "144 pages, opens flat."},
	{sku: "DSK-NOTE-A6", name: "Notebook A6", category: "desk", cents: 890, stock: 190, about: "Fits every pocket."},
	{sku: "DSK-PENCIL-12", name: "Pencils, twelve", category: "desk", cents: 1190, stock: 95, about: "Cedar, 2B."},
	{sku: "DSK-PEN", name: "Fountain pen", category: "desk", cents: 5900, stock: 16, about: "Steel nib, fine."},
	{sku: "DSK-INK-BLACK", name: "Ink, black", category: "desk", cents: 1090, stock: 70, about: "50 ml, fast to light."},
	{sku: "DSK-LAMP", name: "Desk lamp", category: "desk", cents: 12900, stock: 9, about: "Three joints and warm light."},
	{sku: "DSK-TRAY", name: "Letter tray", category: "desk", cents: 3300, stock: 38, about: "Beech, for A4."},
	{sku: "DSK-SCISSORS", name: "Paper scissors", category: "desk", cents: 1990, stock: 57, about: "Long blades for straight cuts."},
	{sku: "GRD-TROWEL", name: "Hand trowel", category: "garden", cents: 2190, stock: 44, about: "One piece of steel, ash handle."},
	{sku: "GRD-SECATEUR", name: "Secateurs", category: "garden", cents: 4590, stock: 21, about: "Every part can be replaced."},
	{sku: "GRD-CAN-5", name: "Watering can, 5 l", category: "garden", cents: 4900, stock: 19, about: "Zinc, with a rose of brass."},
	{sku: "GRD-GLOVES", name: "Garden gloves", category: "garden", cents: 1690, stock: 48, sizes: []string{"S", "M", "L"},
		about: "Goatskin, thin at the fingers."},
	{sku: "GRD-SEED-HERBS", name: "Herb seeds, five sorts", category: "garden", cents: 1150, stock: 130,
		about: "Basil, chives, parsley, thyme, dill."},
	{sku: "GRD-TWINE", name: "Jute twine", category: "garden", cents: 590, stock: 155, about: "100 m, rots by itself."},
}

// demoReasons are why units come back.
var demoReasons = []string{"too small", "arrived broken", "not as expected", "ordered twice"}

// demoPeople are the sample shop's customers.
var demoPeople = []struct{ name, email, street, city, zip, country string }{
	{"Ada Lovelace", "ada@example.com", "12 rue des Forges", "Dijon", "21000", "FR"},
	{"Blaise Pascal", "blaise@example.com", "3 place de Jaude", "Clermont-Ferrand", "63000", "FR"},
	{"Clara Schumann", "clara@example.com", "Inselstraße 18", "Leipzig", "04103", "DE"},
	{"Dorothea Erxleben", "dorothea@example.com", "Steinweg 51", "Quedlinburg", "06484", "DE"},
	{"Emmy Noether", "emmy@example.com", "Hauptstraße 23", "Erlangen", "91054", "DE"},
	{"Federico Zuccari", "federico@example.com", "Via Giusti 43", "Firenze", "50121", "IT"},
	{"Grete Hermann", "grete@example.com", "Am Wall 9", "Bremen", "28195", "DE"},
	{"Henri Poincaré", "henri@example.com", "2 rue de Guise", "Nancy", "54000", "FR"},
	{"Isabel de Obaldía", "isabel@example.com", "Calle Mayor 7", "Madrid", "28013", "ES"},
	{"Jan Tinbergen", "jan@example.com", "Plein 4", "Den Haag", "2511", "NL"},
	{"Katarzyna Nowak", "kasia@example.com", "Rynek 15", "Kraków", "31-008", "PL"},
	{"Lise Meitner", "lise@example.com", "Boltzmanngasse 3", "Wien", "1090", "AT"},
}
