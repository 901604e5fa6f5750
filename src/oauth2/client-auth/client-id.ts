/** No client_id that can be registered is longer (applications/registration.ts). */
const MAX_CLIENT_ID_LENGTH = 128;

/**
 * Only such a string is looked up and counted: a database may be unable to look up others, and long ones fill the throttle's
 * memory.
 */
export function isClientId(text: string): boolean {
  return text !== '' && text.length <= MAX_CLIENT_ID_LENGTH && !text.includes('\0');
}
