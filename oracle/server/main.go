// The real apiextensions-apiserver with everything switched on that a client can ask about and everything switched off
// that needs a cluster around it: discovery and both OpenAPI versions are served, anybody may do anything.
package main

import (
	"flag"
	"fmt"
	"net"
	"os"

	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	"k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	openapiutil "k8s.io/apiserver/pkg/util/openapi"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/kubernetes/scheme"

	"go.opentelemetry.io/otel/trace/noop"
)

func main() {
	etcd := flag.String("etcd", "", "address of etcd")
	certificates := flag.String("certificates", "", "directory for the certificate that is made at the start")
	flag.Parse()
	if err := run(*etcd, *certificates); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(etcd, certificates string) error {
	o := options.NewCustomResourceDefinitionsServerOptions(os.Stderr, os.Stderr)
	recommended := o.RecommendedOptions
	recommended.Etcd.StorageConfig.Transport.ServerList = []string{etcd}
	// Every case has a kind of its own; a cache for each would be work and memory for a few reads.
	recommended.Etcd.EnableWatchCache = false
	// Nothing of a cluster: no kubeconfig, no delegated decisions, no admission plug-ins.
	recommended.CoreAPI, recommended.Authentication, recommended.Authorization, recommended.Admission = nil, nil, nil, nil
	recommended.Features.EnablePriorityAndFairness = false
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	recommended.SecureServing.Listener = listener
	recommended.SecureServing.BindPort = listener.Addr().(*net.TCPAddr).Port
	recommended.SecureServing.ServerCert.CertDirectory = certificates
	if err := o.ServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return err
	}
	if err := o.Complete(); err != nil {
		return err
	}
	config, err := configure(o)
	if err != nil {
		return err
	}
	completed := config.Complete()
	completed.GenericConfig.EnableDiscovery = true
	server, err := completed.New(genericapiserver.NewEmptyDelegate())
	if err != nil {
		return err
	}
	// Whoever started this reads the address from the first line.
	fmt.Printf("https://%s\n", listener.Addr())
	return server.GenericAPIServer.PrepareRun().RunWithContext(genericapiserver.SetupSignalContext())
}

// What the options' own Config does, less what needs informers of a core API.
func configure(o *options.CustomResourceDefinitionsServerOptions) (*apiserver.Config, error) {
	localhost := []net.IP{net.IPv4(127, 0, 0, 1)}
	if err := o.RecommendedOptions.SecureServing.MaybeDefaultWithSelfSignedCerts("localhost", nil, localhost); err != nil {
		return nil, err
	}
	generic := genericapiserver.NewRecommendedConfig(apiserver.Codecs)
	if err := o.ServerRunOptions.ApplyTo(&generic.Config); err != nil {
		return nil, err
	}
	if err := o.RecommendedOptions.ApplyTo(generic); err != nil {
		return nil, err
	}
	if err := o.APIEnablement.ApplyTo(&generic.Config, apiserver.DefaultAPIResourceConfigSource(), apiserver.Scheme); err != nil {
		return nil, err
	}
	generic.Authentication.Authenticator = anonymous.NewAuthenticator(nil)
	generic.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
	definitions := openapiutil.GetOpenAPIDefinitionsWithoutDisabledFeatures(openapi.GetOpenAPIDefinitions)
	namer := openapinamer.NewDefinitionNamer(apiserver.Scheme, scheme.Scheme)
	generic.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(definitions, namer)
	generic.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(definitions, namer)
	return &apiserver.Config{
		GenericConfig: generic,
		ExtraConfig: apiserver.ExtraConfig{
			CRDRESTOptionsGetter: options.NewCRDRESTOptionsGetter(
				*o.RecommendedOptions.Etcd, generic.ResourceTransformers, generic.StorageObjectCountTracker),
			ServiceResolver: webhook.NewDefaultServiceResolver(),
			AuthResolverWrapper: webhook.NewDefaultAuthenticationInfoResolverWrapper(
				nil, nil, generic.LoopbackClientConfig, noop.NewTracerProvider()),
		},
	}, nil
}
