/** FAPI 2.0 Security Profile, and with signed requests and responses Message Signing (rules.ts says what each demands). */
export const profiles = ['fapi2-security', 'fapi2-message-signing'] as const;
export type Profile = (typeof profiles)[number];
