package dashboard

// seed fills the account with a little of everything, and notes ids of it for the addresses of pages.
func (s *site) seed() {
	s.samples = map[string]string{}
}
