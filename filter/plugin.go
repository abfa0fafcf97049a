package filter

import (
	"errors"
	"slices"
	"strings"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"tollgate/config"
	"tollgate/limiter"
)

// flushPeriod is how often the metrics are passed on, in milliseconds.
const flushPeriod = 1000

// plugin is one configuration in one VM. An update of the configuration starts another one beside it, and the streams that
// began under this one end under it.
type plugin struct {
	types.DefaultPluginContext
	vm      *vm
	host    Host
	domain  string              // empty until the configuration was read
	own     *ruleset            // nil until then
	routes  map[string]*ruleset // of routes that carry rules, by their text; nil in it for faulty ones
	limiter *limiter.Limiter
	metrics metrics
	// strict says that some rule, or the top level, refuses what cannot be counted. Where it is not known which rule holds a
	// request, the strictest decides.
	strict bool

	// Scratch of one callback.
	request    config.Request
	charges    []limiter.Charge
	charged    []charged // whose each charge is
	route      string    // of a request that its route's own rules hold
	identities []byte
	shadows    shadows
	writer     writer
	reply      Reply

	idle []*stream
}

// OnPluginStart implements types.PluginContext: it reads the configuration and refuses to start with any fault in it. The host
// keeps the running plugin then.
func (p *plugin) OnPluginStart(int) (status types.OnPluginStartStatus) {
	defer p.surviveStart()
	data, err := p.host.PluginConfiguration()
	if err != nil {
		p.log(LogError, "configuration refused: it could not be read")
		return types.OnPluginStartStatusFailed
	}
	name, _ := p.host.Property("plugin_name")
	cfg, err := config.Parse(data, strings.Clone(name)) // the domain may be the name, and outlives this callback
	if err != nil {
		p.logFaults("configuration", err)
		return types.OnPluginStartStatusFailed
	}
	return types.OnPluginStartStatus(p.start(cfg))
}

// logFaults writes a line for each fault of a configuration.
func (p *plugin) logFaults(of string, err error) {
	var faults config.Errors
	errors.As(err, &faults)
	for _, fault := range faults {
		p.log(LogError, of+" refused: "+fault.Error())
	}
}

// start makes the plugin ready for streams.
func (p *plugin) start(cfg *config.Config) bool {
	p.domain = cfg.Domain
	for _, warning := range cfg.Warnings {
		p.log(LogWarn, warning)
	}
	if err := limiter.SelfTest(p.host, cfg.Domain); err != nil {
		p.log(LogError, "configuration refused: the proxy's shared data does not compare and swap as required: "+err.Error())
		return false
	}
	key, err := limiter.LoadHashKey(p.host, cfg.Domain, p.host.Random)
	if err != nil {
		p.log(LogError, "configuration refused: the hash key in the proxy's shared data could not be read or made: "+err.Error())
		return false
	}
	p.run(cfg, key)
	p.log(LogInfo, started(cfg))
	return true
}

// run replaces what the plugin ran before: Envoy starts a plugin once, but the ABI lets a host configure it again.
func (p *plugin) run(cfg *config.Config, key limiter.HashKey) {
	p.metrics.flush(p.host)
	p.metrics = metrics{rules: make(map[string]*uint64)}
	p.routes = make(map[string]*ruleset)
	p.strict = strict(cfg)
	p.limiter = limiter.New(p.host, p.host.Now, key, limiter.Options{
		Domain: cfg.Domain, MaxCounters: cfg.MaxCounters, OnFull: cfg.OnFull,
	})
	p.define()
	p.own = p.newRuleset(cfg)
	p.request.Properties = p.host
	if err := p.host.SetTickPeriod(flushPeriod); err != nil {
		p.log(LogWarn, "no tick could be set; metrics are passed on when the plugin ends")
	}
}

func strict(cfg *config.Config) bool {
	refuses := func(rule config.Rule) bool { return rule.OnError == config.RefuseOnError }
	return cfg.OnError == config.RefuseOnError || slices.ContainsFunc(cfg.Rules, refuses)
}

// OnTick implements types.PluginContext.
func (p *plugin) OnTick() {
	defer p.surviveTick()
	p.metrics.flush(p.host)
}

// OnPluginDone implements types.PluginContext.
func (p *plugin) OnPluginDone() bool {
	p.OnTick()
	return true
}

// NewHttpContext implements types.PluginContext.
func (p *plugin) NewHttpContext(uint32) types.HttpContext {
	if p.limiter == nil {
		return nil
	}
	if n := len(p.idle); n > 0 {
		s := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return s
	}
	return &stream{plugin: p}
}

// maxIdle bounds the streams that are kept for reuse after a peak.
const maxIdle = 1024

func (p *plugin) release(s *stream) {
	*s = stream{plugin: p, held: s.held[:0]}
	if len(p.idle) < maxIdle {
		p.idle = append(p.idle, s)
	}
}

// log writes a line that says whose it is.
func (p *plugin) log(level Level, text string) {
	line := "tollgate: "
	if p.domain != "" {
		line = "tollgate " + p.domain + ": "
	}
	p.host.Log(level, line+text)
}
