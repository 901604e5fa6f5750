import type { Application, Client } from '../protocol/client.ts';

export interface Applications {
  findApplication(code: string, receivedAt?: number): Promise<Application | undefined>;
  findClient(app: string, clientId: string, receivedAt?: number): Promise<Client | undefined>;
  /** Whether a client of the application has a redirect address with this web origin (for CORS). */
  isClientOrigin(app: string, origin: string, receivedAt?: number): Promise<boolean>;
  /** Grows with every change to applications, clients, keys or users by any process. */
  registryVersion(): Promise<number>;
  /** Calls the listener soon after any process changed one of these. A call may get lost, so callers also poll the version. */
  onRegistryChange(listener: () => void): void;
  /** By name, for commands. */
  clientsOf(app: string): Promise<Client[]>;
  /** Deletes the client and ends its grants and codes. False: there is no such client. */
  deleteClient(app: string, clientId: string, now: number): Promise<boolean>;
  isEmpty(): Promise<boolean>;
  /** Which secrets of the server are in use: each signing key and client secret begins with the id of its server secret. */
  secretsInUse(): Promise<SecretUse[]>;
  /** All applications, for jobs and commands that visit each. */
  applicationCodes(): Promise<string[]>;
}

export interface SecretUse {
  /** In hexadecimal (keys/key-ring.ts). */
  readonly id: string;
  readonly signingKeys: number;
  readonly clientSecrets: number;
}
