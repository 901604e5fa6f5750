/** The part of oidc-provider that is used here; it brings no types of its own. */
declare module 'oidc-provider' {
  interface Client {
    readonly clientId: string;
  }
  interface Token {
    save(): Promise<string>;
  }
  interface Grant extends Token {
    addOIDCScope(scope: string): void;
  }
  interface TokenFields {
    readonly accountId: string;
    readonly client: Client;
    readonly grantId: string;
    readonly gty: string;
    readonly scope: string;
    readonly authTime?: number;
    readonly amr?: readonly string[];
  }
  export default class Provider {
    constructor(issuer: string, configuration: object);
    readonly Client: { find(id: string): Promise<Client | undefined> };
    readonly Grant: new (fields: {
      readonly accountId: string;
      readonly clientId: string;
    }) => Grant;
    readonly Session: new (fields: {
      readonly accountId: string;
      readonly loginTs: number;
      readonly amr: readonly string[];
      readonly authorizations: Readonly<Record<string, { readonly sid: string; readonly grantId: string }>>;
    }) => { readonly id: string; save(ttl: number): Promise<string> };
    readonly AccessToken: new (
      fields: TokenFields,
    ) => Token;
    readonly AuthorizationCode: new (
      fields: TokenFields & {
        readonly redirectUri: string;
        readonly codeChallenge: string;
        readonly codeChallengeMethod: string;
      },
    ) => Token;
    readonly RefreshToken: new (
      fields: TokenFields,
    ) => Token;
    listen(port: number, host: string): void;
  }
}
