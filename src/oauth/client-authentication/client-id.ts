import { isClientIdUrl, MAX_CLIENT_ID_URL_LENGTH } from '../../directory/client-id-metadata/rules.ts';

/** No client_id that can be registered is longer (directory/clients/fields.ts). */
const MAX_CLIENT_ID_LENGTH = 128;

/**
 * Only such a string is looked up and counted: a database may be unable to look up others, and long ones fill the throttle's
 * memory.
 */
export function isClientId(text: string): boolean {
  const maxLength = isClientIdUrl(text) ? MAX_CLIENT_ID_URL_LENGTH : MAX_CLIENT_ID_LENGTH;
  return text !== '' && text.length <= maxLength && !text.includes('\0');
}
