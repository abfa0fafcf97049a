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
func (p *plugin) tellUpstream() {
	name := p.own.config.ShadowHeader
	switch {
	case name == "":
	case len(p.shadows.text) > 0:
		if err := p.host.ReplaceRequestHeader(name, p.shadows.text); err != nil {
			p.report(failHeaders)
		}
	default:
		if _, sent := p.request.Header(name); sent {
			p.removeShadowHeader()
		}
	}
}

// removeShadowHeader removes the header, of which it need not be known whether the client sent it.
func (p *plugin) removeShadowHeader() {
	name := p.own.config.ShadowHeader
	if name == "" {
		return
	}
	if err := p.host.RemoveRequestHeader(name); err != nil {
		p.report(failHeaders)
	}
}
