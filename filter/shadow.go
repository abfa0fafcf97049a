package filter

// shadows collects what shadow rules would have decided, for the upstream to see: search-candidate=limited, daily=allowed.
type shadows struct{ text []byte }

func (s *shadows) reset() { s.text = s.text[:0] }

func (s *shadows) add(rule string, limited bool) {
	if len(s.text) > 0 {
		s.text = append(s.text, ", "...)
	}
	s.text = append(append(s.text, rule...), '=')
	if limited {
		s.text = append(s.text, "limited"...)
	} else {
		s.text = append(s.text, "allowed"...)
	}
}

// tellUpstream puts the shadow decisions into the request's header of that purpose. What a client sent under its name never
// reaches the upstream.
func (p *plugin) tellUpstream(answered bool) {
	name := p.own.config.ShadowHeader
	if name == "" || answered {
		return
	}
	var err error
	if len(p.shadows.text) > 0 {
		err = p.host.ReplaceRequestHeader(name, p.shadows.text)
	} else if p.sent(name) {
		err = p.host.RemoveRequestHeader(name)
	}
	if err != nil {
		p.report(failHeaders)
	}
}

func (p *plugin) sent(name string) bool {
	for _, h := range p.request.Headers {
		if h[0] == name {
			return true
		}
	}
	return false
}
