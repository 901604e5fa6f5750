/** Authorization requests that clients have pushed (RFC 9126), until a browser brings their request_uri. */
export interface PushedRequests {
  addPushedRequest(app: string, request: NewPushedRequest): Promise<void>;
  /** Leaves it where it is, for the answer to take it. */
  readPushedRequest(app: string, idHash: Uint8Array, clientId: string, now: number): Promise<Uint8Array | undefined>;
  /** Exactly one of any number of calls gets the request, and only for the client that pushed it. */
  takePushedRequest(app: string, idHash: Uint8Array, clientId: string, now: number): Promise<Uint8Array | undefined>;
}

export interface NewPushedRequest {
  readonly idHash: Uint8Array;
  readonly clientId: string;
  /** Encrypted: the hints in it tell about people. */
  readonly sealed: Uint8Array;
  readonly expiresAt: number;
}
