import { hash } from 'node:crypto';

/** A client without a client_id gets one from its application and name, so that applying a file twice finds it again. */
export function generatedClientId(app: string, clientName: string | undefined): string {
  return `${app}-${hash('sha256', `${app}\0${clientName ?? ''}`, 'hex').slice(0, 12)}`;
}
