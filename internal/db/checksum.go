package db

import "hash/crc32"

// Checksum is the CRC-32C of a text that is only ever replaced whole. Its row stores it, so that package verify finds
// changed bytes.
func Checksum(text string) int64 { return int64(crc32.Checksum([]byte(text), castagnoli)) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)
