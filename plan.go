package main

import (
	"context"
	"encoding/json"

	"shoal/sdk/wire"
)

func planCommand(ctx context.Context, c *call) error {
	var h hostFlags
	h.register(c.flags, "workers")
	grain := c.flags.Uint64("grain", 0, "`items` in a shard; 0 lets the plan decide")
	if err := c.parse(1, 1); err != nil {
		return err
	}
	src, files, err := h.readJob(c, c.args[0])
	if err != nil {
		return err
	}
	p, err := h.start(ctx, c)
	if err != nil {
		return err
	}
	defer p.Close()
	p.Send(wire.Submit{Run: 1, Job: src, Files: files, Grain: *grain, Dry: true})
	var planned wire.RunPlanned
	for {
		e, err := next(ctx, p)
		if err != nil {
			return err
		}
		switch e := e.(type) {
		case wire.RunPlanned:
			planned = e
		case wire.RunRefused:
			return errOf(e.Refusal, false)
		case wire.RunReport:
			var report map[string]any
			if err := json.Unmarshal(e.Report, &report); err != nil {
				return failed(err)
			}
			if c.json {
				report["type"], report["work"], report["job"] = "plan", planned.Work.String(), planned.Job.String()
				c.object(report)
				return nil
			}
			c.say("work   %s\njob    %s", planned.Work, planned.Job)
			lines, _ := report["lines"].([]any)
			for _, l := range lines {
				c.say("%s", l)
			}
			return nil
		}
	}
}
