/** Keys for one-time passwords by the server secret that encrypted them: data begins with its id, in 8 hexadecimal digits. */
export const migration018 = {
  name: '018-totp-keys-by-secret',
  sql: "CREATE INDEX totp_keys_by_secret ON credentials (substr(data, 1, 8)) WHERE kind = 'totp'",
};
