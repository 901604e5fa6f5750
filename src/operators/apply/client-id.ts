import { hash } from 'node:crypto';

/** Derives a client_id from application and client name, so that applying a file twice finds the same client. */
export function generatedClientId(app: string, clientName: string | undefined): string {
  return `${app}-${hash('sha256', `${app}\0${clientName ?? ''}`, 'hex').slice(0, 12)}`;
}
