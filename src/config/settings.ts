import 'reflect-metadata';
import { IntersectionType } from '@nestjs/mapped-types';
import { EmbeddedPlatformSettings, platformProxy, PlatformSettings } from './platform-settings.js';
import { FederationSettings, GraphQLSettings } from './graphql-settings.js';
import { HttpSettings } from './http-settings.js';
import { LoginSettings } from './login-settings.js';
import { isLoopback } from './network-checks.js';
import { isProduction, OperationsSettings, ServiceSettings } from './service-settings.js';
import { TelemetrySettings } from './telemetry-settings.js';
import { SessionSettings } from './session-settings.js';

/**
 * Every setting of the service, by the name it has in the environment. Each is declared once, in the class of its
 * topic, with its default and its checks; `docs/configuration.md` and `.env.example` are generated from there.
 */
export class Settings extends IntersectionType(
  ServiceSettings,
  HttpSettings,
  PlatformSettings,
  SessionSettings,
  LoginSettings,
  GraphQLSettings,
  FederationSettings,
  EmbeddedPlatformSettings,
  OperationsSettings,
  TelemetrySettings,
) {
  /** On, except in production; `GRAPHQL_INTROSPECTION` overrides that. */
  get introspection(): boolean {
    return this.GRAPHQL_INTROSPECTION ?? !this.production;
  }

  /**
   * Whether the service may be called by a host name. On loopback, only by loopback's own names unless others are
   * set: a page of any site could give its own name the address of this machine (DNS rebinding).
   */
  allowsHost(hostname: string): boolean {
    if (this.ALLOWED_HOSTS.length > 0) return this.ALLOWED_HOSTS.includes(hostname);
    return !isLoopback(this.HOST) || isLoopback(hostname);
  }

  /** What is put in front of the root fields and the types. */
  get namePrefixes(): { readonly field: string | undefined; readonly type: string | undefined } {
    return { field: this.FIELD_PREFIX, type: this.TYPE_PREFIX };
  }

  /** Off with persisted documents: the console's own documents are not among them. */
  get hasConsole(): boolean {
    return this.introspection && this.PERSISTED_DOCUMENTS === undefined;
  }

  /** True when the service starts the embedded platform. With a base URL it runs, but the service does not use it. */
  get runsEmbeddedPlatform(): boolean {
    return (
      this.EMBEDDED_PLATFORM === 'on' ||
      (this.EMBEDDED_PLATFORM === 'auto' && this.PLATFORM_BASE_URL === undefined)
    );
  }

  /** The proxy to the platform, if it is reached through one. */
  get platformProxy(): string | undefined {
    return platformProxy(this);
  }

  get usesEmbeddedPlatform(): boolean {
    return this.runsEmbeddedPlatform && this.PLATFORM_BASE_URL === undefined;
  }

  /** Long enough for a load balancer that checks every two seconds. On a developer's machine nothing checks. */
  get shutdownDelaySeconds(): number {
    return this.SHUTDOWN_DELAY_SECONDS ?? (this.production ? 5 : 0);
  }

  /** Whether the audit log has a file of its own, which SIGHUP reopens. */
  get hasAuditFile(): boolean {
    return this.AUDIT_LOG !== 'stdout' && this.AUDIT_LOG !== 'off';
  }

  get production(): boolean {
    return isProduction(this);
  }
}
