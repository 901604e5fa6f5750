// The OTLP receiver of the OpenTelemetry Collector. What it accepts is written as a line of JSON, in the Collector's own form.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
)

var writing sync.Mutex

func write(line []byte, err error) error {
	if err != nil {
		return err
	}
	writing.Lock()
	defer writing.Unlock()
	_, err = fmt.Println(string(line))
	return err
}

func run(address string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	given := map[string]any{"protocols": map[string]any{"http": map[string]any{"endpoint": address}}}
	if err := confmap.NewFromStringMap(given).Unmarshal(config); err != nil {
		return err
	}
	settings := receivertest.NewNopSettings(factory.Type())
	onTraces, err := consumer.NewTraces(func(_ context.Context, traces ptrace.Traces) error {
		return write((&ptrace.JSONMarshaler{}).MarshalTraces(traces))
	})
	if err != nil {
		return err
	}
	onMetrics, err := consumer.NewMetrics(func(_ context.Context, metrics pmetric.Metrics) error {
		return write((&pmetric.JSONMarshaler{}).MarshalMetrics(metrics))
	})
	if err != nil {
		return err
	}
	traces, err := factory.CreateTraces(ctx, settings, config, onTraces)
	if err != nil {
		return err
	}
	metrics, err := factory.CreateMetrics(ctx, settings, config, onMetrics)
	if err != nil {
		return err
	}
	for _, each := range []component.Component{traces, metrics} {
		if err := each.Start(ctx, componenttest.NewNopHost()); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return traces.Shutdown(context.Background())
}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
