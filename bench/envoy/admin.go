package envoy

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
)

// probe asks the administration interface whether Envoy is ready and where its listener is, and then the listener for an
// answer.
func (p *Process) probe() error {
	admin, err := os.ReadFile(p.path("admin"))
	if err != nil {
		return err
	}
	if len(admin) == 0 {
		return fmt.Errorf("the file with the address of the administration interface is empty")
	}
	if err := get("http://"+string(admin)+"/ready", nil); err != nil {
		return err
	}
	if p.Address == "" {
		if p.Address, err = listener(string(admin)); err != nil {
			return err
		}
	}
	return get("http://"+p.Address+"/", nil)
}

// listener returns the address of the only listener.
func listener(admin string) (string, error) {
	var answer struct {
		Statuses []struct {
			Address struct {
				Socket struct {
					Host string `json:"address"`
					Port int    `json:"port_value"`
				} `json:"socket_address"`
			} `json:"local_address"`
		} `json:"listener_statuses"`
	}
	if err := get("http://"+admin+"/listeners?format=json", &answer); err != nil {
		return "", err
	}
	if len(answer.Statuses) != 1 {
		return "", fmt.Errorf("%d listeners in place of one", len(answer.Statuses))
	}
	socket := answer.Statuses[0].Address.Socket
	return net.JoinHostPort(socket.Host, strconv.Itoa(socket.Port)), nil
}

// get reads a JSON answer into a value, or only looks whether the answer is 200.
func get(url string, into any) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(into)
}
