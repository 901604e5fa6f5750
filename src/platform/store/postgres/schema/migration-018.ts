/** Keys for one-time passwords by the server secret that encrypted them: data begins with its id, in 8 hexadecimal digits. */
export const migration018 = {
  name: '018-totp-keys-by-secret',
  index: 'totp_keys_by_secret',
  on: `credentials (substr(data, 1, 8) COLLATE "C") WHERE kind = 'totp'`,
};
