package config

import (
	"net/netip"
	"testing"
)

var addressTexts = []string{
	"0.0.0.0", "255.255.255.255", "192.0.2.1", "1.2.3", "1.2.3.4.5", "1.2.3.4.", ".1.2.3.4", "1..2.3", "256.1.1.1", "01.2.3.4", "1.2.3.1000", "1.2.3.-4", "1.2.3.4 ", "",
	"::", "::1", "1::", "2001:db8::1", "2001:DB8:0:0:1::2", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1::3:4:5:6:7:8",
	"1:2:3:4::5:6:7:8", ":::", "1:::2", "::1::", ":1", "1:", ":", "12345::", "g::", "::ffff:192.0.2.1", "::192.0.2.1", "1:2:3:4:5:6:192.0.2.1", "1:2:3:4:5:6:7:192.0.2.1",
	"192.0.2.1::", "::192.0.2.1:1", "::192.0.2", "::ffff:c000:201", "::fffe:192.0.2.1", "fe80::", "64:ff9b::192.0.2.33", "::1.2.3.4.5", "1.2.3.4:", "x", "[::1]", "0:0:0:0:0:0:0:0",
	"/", "::/", "10.0.0.0/8", "10.0.0.0/08", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0.0/+8", "2001:db8::/32", "::/0", "0.0.0.0/0", "::/128", "::/129", "::ffff:10.0.0.0/104", "10.1.2.3/8", "2001:db8::1/32", "::/064",
}

// checkAddress holds our reading of a text against the standard library's.
func checkAddress(t *testing.T, text string) {
	a, ok := parseAddress(text)
	want, err := netip.ParseAddr(text)
	if wantOK := err == nil && want.Zone() == ""; ok != wantOK || ok && netip.AddrFrom16(a).Unmap() != want.Unmap() {
		t.Errorf("address %q: %v %v, want %v %v", text, a, ok, want, err)
	}
	if ok {
		checkString(t, a)
	}
	checkNetwork(t, text)
}

// checkString holds that what is written reads as the same address.
func checkString(t *testing.T, a address) {
	if again, ok := parseAddress(a.String()); !ok || again != a {
		t.Errorf("address %v is written as %q", [16]byte(a), a.String())
	}
}

func checkNetwork(t *testing.T, text string) {
	n, ok := parseNetwork(text)
	want, err := netip.ParsePrefix(text)
	if err == nil {
		bits := want.Bits()
		if want.Addr().Is4() {
			bits += mappedBits
		}
		if !ok || n.bits != bits || netip.AddrFrom16(n.address.masked(bits)).Unmap() != want.Masked().Addr().Unmap() {
			t.Errorf("network %q: %v %v, want %v", text, n, ok, want)
		}
	}
	if _, isAddress := parseAddress(text); ok && err != nil && !isAddress {
		t.Errorf("network %q: %v, want %v", text, n, err)
	}
}

func TestAddressesEqualTheStandardLibrarys(t *testing.T) {
	for _, text := range addressTexts {
		checkAddress(t, text)
	}
}

func FuzzAddress(f *testing.F) {
	for _, text := range addressTexts {
		f.Add(text)
	}
	f.Fuzz(checkAddress)
}

func TestNetworksContain(t *testing.T) {
	for _, n := range []string{"10.0.0.0/8", "10.1.2.0/23", "0.0.0.0/0", "192.0.2.1/32", "2001:db8::/32", "::/0", "2001:db8::/33", "::1/128", "::/96", "2001:db8:8000::/33"} {
		ours, ok := parseNetwork(n)
		theirs := netip.MustParsePrefix(n)
		for _, a := range []string{"10.0.0.1", "10.1.3.255", "10.1.4.0", "11.0.0.0", "192.0.2.1", "192.0.2.2", "0.0.0.0", "2001:db8::1", "2001:db8:8000::", "2001:db9::", "::", "::1", "::2"} {
			address, _ := parseAddress(a)
			if got, want := ours.contains(address), theirs.Contains(netip.MustParseAddr(a)); !ok || got != want {
				t.Errorf("%s contains %s: %v, want %v", n, a, got, want)
			}
		}
	}
}

func TestNetworkText(t *testing.T) {
	for text, want := range map[string]string{
		"10.0.0.0/8": "10.0.0.0/8", "192.0.2.1": "192.0.2.1/32", "::ffff:192.0.2.1": "192.0.2.1/32", "2001:DB8::/32": "2001:db8::/32", "::/0": "::/0", "2001:db8:0:1::/64": "2001:db8:0:1::/64", "::1": "0:0:0:0:0:0:0:1/128",
	} {
		if n, ok := parseNetwork(text); !ok || n.String() != want {
			t.Errorf("%s: %s, want %s", text, n, want)
		}
	}
}
