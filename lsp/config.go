package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"
)

// config is what the client sets, in initializationOptions and in
// workspace/didChangeConfiguration; docs/lsp.md describes it for users.
type config struct {
	Executable    string            `json:"executable"`
	SymbolFiles   []string          `json:"symbolFiles"` // beside the executable: FILE or FILE@OFFSET
	SourceFileMap map[string]string `json:"sourceFileMap"`
}

// parseConfig reads settings as clients send them: the fields themselves, or
// an object that has them under "pushmask". ok is false where there are none,
// as in the notification of clients that want to be asked.
func parseConfig(settings any) (c config, ok bool, err error) {
	object, isObject := settings.(map[string]any)
	if !isObject {
		return config{}, false, nil
	}
	if section, nested := object["pushmask"]; nested {
		if object, isObject = section.(map[string]any); !isObject {
			return config{}, false, nil
		}
	}
	raw, err := json.Marshal(object)
	if err != nil {
		return config{}, false, err
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return config{}, false, err
	}
	return c, true, nil
}

// configure takes over new settings and opens the firmware they name, so that
// the user hears at once when it cannot be opened.
func (s *server) configure(ctx context.Context, settings any) {
	c, ok, err := parseConfig(settings)
	if err != nil {
		s.warn("pushmask settings are not valid: " + err.Error())
		return
	}
	if !ok {
		return
	}
	if err := s.firmware.configure(c); err != nil {
		s.log.Warn("close firmware", "err", err)
	}
	s.ready(ctx)
}

func (s *server) didChangeConfiguration(ctx context.Context, p *protocol.DidChangeConfigurationParams) (any, error) {
	s.configure(ctx, p.Settings)
	return nil, nil
}

// workspaceRoot is the folder the client works in, "" when it has none: the
// first of its folders, or the root that older clients send instead.
func workspaceRoot(folders []protocol.WorkspaceFolder, root string) string {
	if len(folders) > 0 {
		if path, ok := filePath(folders[0].URI); ok {
			return path
		}
	}
	path, _ := filePath(root)
	return path
}
