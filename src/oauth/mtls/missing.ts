import type { Request } from '../../platform/http/message.ts';
import type { Services } from '../../services.ts';
import type { FaultyCertificate } from './rules.ts';

/** Why a request has no certificate: a caller that is no trusted proxy may have sent the header of these. */
export function missingCertificate({ config }: Pick<Services, 'config'>, request: Request): FaultyCertificate {
  const name = config.clientCertificates?.header;
  const isSentByStranger = name !== undefined && (request.headers[name] ?? '') !== '';
  return { fault: isSentByStranger ? 'notFromProxy' : 'missing' };
}
