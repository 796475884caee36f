package search

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"

	"entrepot/internal/db"
)

// A group is 32 blocks with a bit for each hash of three or four bytes and each part of a block, which is set if the part
// contains them. A search reads the bits of the term's hashes, and then the blocks of which one part has all of them. A block
// that is written again leaves its group; bits stay, since they only say that a part may contain something (decision 11).
const (
	groupSize   = 32 // blocks of a new group
	groupLeast  = groupSize / 2
	blockParts  = 16 // parts of a block, some 64 records each
	partBytes   = groupSize * blockParts / 8
	hashBits    = 14
	sliceHashes = 16 // hashes in one row
	sliceCount  = 1 << hashBits / sliceHashes
	mostHashes  = 12 // hashes of a term that are looked up
)

// partSet has a bit for each part of a group.
type partSet [partBytes]byte

// groupBits are the bits of a group, by hash.
type groupBits [1 << hashBits]partSet

// add sets the bits of a block's texts.
func (g *groupBits) add(position int, body string) {
	each := linesOfPart(strings.Count(body, "\n"))
	line := 0
	for text := range strings.Lines(body) {
		part := position*blockParts + line/each
		text = strings.TrimSuffix(text, "\n")
		for i := 0; i+3 <= len(text); i++ {
			g[hash3(text[i:])][part/8] |= 1 << (part % 8)
			if i+4 <= len(text) {
				g[hash4(text[i:])][part/8] |= 1 << (part % 8)
			}
		}
		line++
	}
}

// hash3 returns the hash of the first three bytes of a text, hash4 of the first four. Those of four distinguish more
// parts, above all in numbers; a hash of three alone serves terms of three bytes.
func hash3(t string) uint32 {
	return (uint32(t[0])<<16 | uint32(t[1])<<8 | uint32(t[2])) * 2654435761 >> (32 - hashBits)
}

func hash4(t string) uint32 {
	return (uint32(t[0])<<24 | uint32(t[1])<<16 | uint32(t[2])<<8 | uint32(t[3])) * 2246822519 >> (32 - hashBits)
}

// hashesOf are different hashes of a term, those of four bytes first: all of them, or some from all over a long term.
func hashesOf(term string) (list []uint32) {
	known := map[uint32]bool{}
	step := max(1, (len(term)-3)/mostHashes)
	add := func(length int, hash func(string) uint32) {
		for i := 0; i+length <= len(term) && len(list) < mostHashes; i += step {
			if h := hash(term[i:]); !known[h] {
				known[h] = true
				list = append(list, h)
			}
		}
	}
	add(4, hash4)
	add(3, hash3)
	return list
}

// placed is a block in a group, with a bit for each part that may contain a term.
type placed struct {
	place int64
	parts uint16
}

// prefetchPlaces prefetches the blocks in groups that may contain a term of at least three bytes.
func prefetchPlaces(tx *db.Tx, kind Kind, term string) func() (list []placed, groups int, err error) {
	wanted := map[int64][]uint32{} // by slice: hashes in its row
	var numbers []int64
	for _, h := range hashesOf(term) {
		slice := int64(h / sliceHashes)
		if wanted[slice] == nil {
			numbers = append(numbers, slice)
		}
		wanted[slice] = append(wanted[slice], h%sliceHashes)
	}
	may := map[int64]*partSet{} // by group
	var row db.Buffer
	args := append([]any{tx.Tenant, string(kind)}, db.Padded(numbers)...)
	read := tx.Prefetch(func(r db.Rows) error {
		var slice, group int64
		if err := r.Scan(&slice, &group, &row); err != nil {
			return err
		}
		parts, known := may[group]
		if !known {
			parts = new(partSet)
			may[group] = parts
		}
		for n, h := range wanted[slice] {
			for i, b := range row[h*partBytes : (h+1)*partBytes] {
				if known || n > 0 {
					b &= parts[i]
				}
				parts[i] = b
			}
		}
		return nil
	}, "SELECT slice, group_number, parts FROM search_grams WHERE tenant_id = $1 AND kind = $2 AND slice IN "+db.In(len(args)-2, 3), args...)
	return func() (list []placed, groups int, err error) {
		err = read.Wait()
		for group, set := range may {
			for position := range groupSize {
				if parts := binary.LittleEndian.Uint16(set[2*position:]); parts != 0 {
					list = append(list, placed{group*groupSize + int64(position), parts})
				}
			}
		}
		return list, len(may), err
	}
}

// matchesIn is matches for some parts of a block.
func matchesIn(parts uint16, body, keys, term []byte, each func(id ID, sort int64) error) error {
	lines := linesOfPart(len(keys) / keySize)
	for ; parts != 0 && len(keys) > 0; parts >>= 1 {
		lines := min(lines, len(keys)/keySize)
		end := 0
		for range lines {
			end += bytes.IndexByte(body[end:], '\n') + 1
		}
		if parts&1 != 0 {
			if err := matches(body[:end], keys, term, each); err != nil {
				return err
			}
		}
		body, keys = body[end:], keys[lines*keySize:]
	}
	return nil
}

// linesOfPart returns how many lines each part of a block has but the last.
func linesOfPart(lines int) int { return (lines + blockParts - 1) / blockParts }

// ungrouped is the condition for blocks b without a place.
const ungrouped = ` AND NOT EXISTS
	(SELECT 1 FROM search_places p WHERE p.tenant_id = b.tenant_id AND p.kind = b.kind AND p.first_id = b.first_id)`

// group builds the next group of blocks, unless there are too few without one, and returns how many blocks it has. The last
// block is in no group, since new records come into it.
func group(tx *db.Tx, kind Kind) (int, error) {
	free, err := db.List(tx, func(r db.Rows) (first string, err error) { return first, r.Scan(&first) },
		"SELECT b.first_id FROM search_blocks b WHERE b.tenant_id = $1 AND b.kind = $2"+ungrouped+" ORDER BY b.first_id LIMIT $3::BIGINT",
		tx.Tenant, string(kind), groupSize+1)
	if err != nil || len(free) <= groupSize {
		return 0, err
	}
	free = free[:groupSize]
	var number int64
	err = tx.Row("SELECT coalesce(max(group_number) + 1, 0) FROM search_grams WHERE tenant_id = $1 AND kind = $2 AND slice = 0",
		[]any{tx.Tenant, string(kind)}, &number)
	if err != nil {
		return 0, err
	}
	set := new(groupBits)
	for position, first := range free {
		var body string
		err := tx.Row("SELECT body FROM search_blocks WHERE tenant_id = $1 AND kind = $2 AND first_id = $3::UUID",
			[]any{tx.Tenant, string(kind), first}, &body)
		if err != nil {
			return 0, err
		}
		set.add(position, body)
		tx.Queue("INSERT INTO search_places (tenant_id, kind, place, first_id) VALUES ($1,$2,$3,$4)", tx.Tenant, string(kind),
			number*groupSize+int64(position), first)
	}
	set.write(tx, kind, number)
	return groupSize, nil
}

// write queues the rows of a group.
func (g *groupBits) write(tx *db.Tx, kind Kind, number int64) {
	all := make([]int64, sliceCount)
	for i := range all {
		all[i] = int64(i)
	}
	db.Chunks(all, func(piece []int64) error {
		args := []any{tx.Tenant, string(kind), number}
		for _, slice := range piece {
			row := make([]byte, 0, sliceHashes*partBytes)
			for _, parts := range g[slice*sliceHashes : (slice+1)*sliceHashes] {
				row = append(row, parts[:]...)
			}
			args = append(args, slice, row)
		}
		tx.Queue(gramsText.For(len(piece), func(n int) string {
			return "INSERT INTO search_grams (tenant_id, kind, group_number, slice, parts) VALUES " + db.Repeat(n, 4, "($1,$2,$3,$,$)")
		}), args...)
		return nil
	})
}

var gramsText db.Text

// dissolve deletes the next group that has lost half of its blocks or more; those that are left get a place in a new one.
func dissolve(tx *db.Tx, kind Kind) (int, error) {
	var number, gone int64
	err := tx.Each(func(r db.Rows) error { gone++; return r.Scan(&number) }, `SELECT g.group_number FROM search_grams g
		WHERE g.tenant_id = $1 AND g.kind = $2 AND g.slice = 0 AND (SELECT count(*) FROM search_places p
			WHERE p.tenant_id = $1 AND p.kind = $2 AND p.place >= $3::BIGINT * g.group_number AND p.place < $3::BIGINT * (g.group_number + 1))
			<= $4::BIGINT ORDER BY g.group_number LIMIT 1`, tx.Tenant, string(kind), groupSize, groupLeast)
	if err != nil || gone == 0 {
		return 0, err
	}
	dropGroup(tx, kind, number)
	return 1, nil
}

// Ungroup dissolves the group of the block with a first id; the worker builds another.
func Ungroup(tx *db.Tx, kind Kind, first string) error {
	if err := Blocks[kind].Lock(tx); err != nil {
		return err
	}
	var place int64
	err := tx.Row("SELECT place FROM search_places WHERE tenant_id = $1 AND kind = $2 AND first_id = $3::UUID",
		[]any{tx.Tenant, string(kind), first}, &place)
	if errors.Is(err, db.ErrNoRow) {
		return nil
	}
	dropGroup(tx, kind, place/groupSize)
	return err
}

// dropGroup queues the deletion of a group; its blocks are looked at one by one until they have another.
func dropGroup(tx *db.Tx, kind Kind, number int64) {
	tx.Queue("DELETE FROM search_grams WHERE tenant_id = $1 AND kind = $2 AND group_number = $3 AND slice >= 0 AND slice < $4::BIGINT",
		tx.Tenant, string(kind), number, sliceCount)
	tx.Queue("DELETE FROM search_places WHERE tenant_id = $1 AND kind = $2 AND place >= $3 AND place < $4", tx.Tenant, string(kind),
		number*groupSize, (number+1)*groupSize)
}

// VerifyGroups calls wrong for each block with a place with a text that a search may miss.
func VerifyGroups(tx *db.Tx, kind Kind, wrong func(firstID string)) error {
	groups, err := db.List(tx, func(r db.Rows) (n int64, err error) { return n, r.Scan(&n) },
		"SELECT DISTINCT place / $3::BIGINT FROM search_places WHERE tenant_id = $1 AND kind = $2 ORDER BY 1", tx.Tenant, string(kind), groupSize)
	if err != nil {
		return err
	}
	for _, number := range groups {
		if err := verifyGroup(tx, kind, number, wrong); err != nil {
			return err
		}
	}
	return nil
}

func verifyGroup(tx *db.Tx, kind Kind, number int64, wrong func(firstID string)) error {
	kept, made := new(groupBits), new(groupBits)
	var row db.Buffer
	err := tx.Each(func(r db.Rows) error {
		var slice int64
		err := r.Scan(&slice, &row)
		for h := range row[:min(len(row), sliceHashes*partBytes)] {
			kept[slice*sliceHashes+int64(h/partBytes)][h%partBytes] = row[h]
		}
		return err
	}, "SELECT slice, parts FROM search_grams WHERE tenant_id = $1 AND kind = $2 AND group_number = $3 AND slice >= 0 AND slice < $4::BIGINT",
		tx.Tenant, string(kind), number, sliceCount)
	if err != nil {
		return err
	}
	return tx.Each(func(r db.Rows) error {
		var place int64
		var first, body string
		if err := r.Scan(&place, &first, &body); err != nil {
			return err
		}
		position := int(place % groupSize)
		made.add(position, body)
		for h := range made {
			at := position * blockParts / 8
			if made[h][at]&^kept[h][at] != 0 || made[h][at+1]&^kept[h][at+1] != 0 {
				wrong(first)
				break
			}
		}
		return nil
	}, `SELECT p.place, p.first_id, b.body FROM search_places p
		CROSS JOIN search_blocks b WHERE p.tenant_id = $1 AND p.kind = $2 AND p.place >= $3 AND p.place < $4
			AND b.tenant_id = $1 AND b.kind = $2 AND b.first_id = p.first_id`, tx.Tenant, string(kind), number*groupSize, (number+1)*groupSize)
}
