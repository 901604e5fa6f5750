/**
 * The conditions of `redeem` in protocol/code-exchange.ts, in SQL. `of` stands before each name: '' where one statement redeems
 * (codes.ts), 'c.' in the functions that run on a worker of Citus (citus/redemption.ts).
 */
export function mayRedeem(of: string): string {
  return `NOT ${of}revoked AND ${of}grant_id IS NULL AND ${of}expires_at > ${of}now
    AND (${of}caller IS NULL OR ${of}client_id = ${of}caller)
    AND (${of}authenticated OR NOT ${of}client_authentication_required)
    AND ${of}redirect_uri = ${of}requested_uri AND ${of}code_challenge IS NOT DISTINCT FROM ${of}challenge`;
}
