/** The part of oidc-provider that is used here; it brings no types of its own. */
declare module 'oidc-provider' {
  interface Model {
    readonly id: string;
    save(ttl?: number): Promise<string>;
    addOIDCScope(scope: string): void;
  }
  type NewModel = new (fields: Readonly<Record<string, unknown>>) => Model;
  export default class Provider {
    constructor(issuer: string, configuration: object);
    readonly Client: { find(id: string): Promise<object | undefined> };
    readonly Grant: NewModel;
    readonly Session: NewModel;
    readonly AccessToken: NewModel;
    readonly AuthorizationCode: NewModel;
    readonly RefreshToken: NewModel;
    listen(port: number, host: string): void;
    callback(): (incoming: object, outgoing: object) => void;
    interactionFinished(incoming: object, outgoing: object, result: object): Promise<void>;
  }
}
