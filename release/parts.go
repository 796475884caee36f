package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// writeParts writes the list of parts in the form of CycloneDX 1.6: every module of any program, with licence and checksum.
func (r *release) writeParts() error {
	list := cdx.NewBOM()
	self := "pkg:generic/entrepot@" + r.version
	component := cdx.Component{BOMRef: self, Type: cdx.ComponentTypeApplication, Name: "entrepot", Version: r.version, PackageURL: self,
		Licenses: licensed("Apache-2.0")}
	list.Metadata = &cdx.Metadata{Timestamp: r.at.Format(time.RFC3339), Component: &component}
	var components []cdx.Component
	var refs []string
	identity := sha256.New()
	for _, m := range r.modules {
		ref := "pkg:golang/" + m.Path + "@" + m.Version
		c := cdx.Component{BOMRef: ref, Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: ref,
			Licenses: licensed(m.licence), Scope: cdx.ScopeRequired}
		// A sum of go.sum is the SHA-256 of a list of the module's files.
		if sum, is := strings.CutPrefix(m.Sum, "h1:"); is {
			raw, err := base64.StdEncoding.DecodeString(sum)
			if err != nil {
				return err
			}
			c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(raw)}}
		}
		components, refs = append(components, c), append(refs, ref)
		identity.Write([]byte(ref + "\n"))
	}
	id := identity.Sum([]byte(nil))
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // a UUID of version 8: the same list has the same
	text := hex.EncodeToString(id[:16])
	list.SerialNumber = "urn:uuid:" + strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")
	list.Components = &components
	list.Dependencies = &[]cdx.Dependency{{Ref: self, Dependencies: &refs}}
	to, err := os.Create(r.name("sbom.cdx.json"))
	if err != nil {
		return err
	}
	encoder := cdx.NewBOMEncoder(to, cdx.BOMFileFormatJSON).SetPretty(true)
	return errors.Join(encoder.EncodeVersion(list, cdx.SpecVersion1_6), to.Close())
}

func licensed(expression string) *cdx.Licenses { return &cdx.Licenses{{Expression: expression}} }
