package connector

import (
	"fmt"
	"slices"
	"strings"
)

// Set is the connectors of a running service.
type Set struct {
	list       []Connector
	bySegment  map[string]Connector // slugs and aliases
	byPlatform map[string]Connector
}

// NewSet returns a set. Two connectors with the same name are an error.
func NewSet(list ...Connector) (*Set, error) {
	s := &Set{list: slices.Clone(list), bySegment: map[string]Connector{}, byPlatform: map[string]Connector{}}
	for _, c := range list {
		p := c.Profile()
		if s.byPlatform[p.Platform] != nil {
			return nil, fmt.Errorf("connectors: platform %s is listed twice", p.Platform)
		}
		s.byPlatform[p.Platform] = c
		for _, name := range append([]string{p.Slug}, p.Aliases...) {
			if s.bySegment[name] != nil {
				return nil, fmt.Errorf("connectors: the name %s is taken by two platforms", name)
			}
			s.bySegment[name] = c
		}
	}
	return s, nil
}

// BySegment finds the connector of a path segment, slug or alias, in any case.
func (s *Set) BySegment(segment string) (Connector, bool) {
	c, ok := s.bySegment[strings.ToLower(segment)]
	return c, ok
}

// ByPlatform finds the connector of a channel's platform value.
func (s *Set) ByPlatform(platform string) (Connector, bool) {
	c, ok := s.byPlatform[platform]
	return c, ok
}

// All returns the connectors in the order they were listed.
func (s *Set) All() []Connector { return slices.Clone(s.list) }
