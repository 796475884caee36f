package customers

import "errors"

// FollowTurn does one turn of the lists of segments, with about size customers.
var FollowTurn = followTurn

// IsOtherTurn reports whether another process changed the lists.
func IsOtherTurn(err error) bool { return errors.Is(err, errOtherTurn) }

// FollowAt is how many changes of one kind an update of lists is worth its cost for.
const FollowAt = followAt
