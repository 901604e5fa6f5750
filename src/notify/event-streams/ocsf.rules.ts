import type { Event } from '../../audit/events/rules.ts';

/** Events in the form of the Open Cybersecurity Schema Framework (schema.ocsf.io), version 1.3. */
export const OCSF_VERSION = '1.3.0';

const ACCOUNT_CHANGE = 3001;
const AUTHENTICATION = 3002;
const ENTITY_MANAGEMENT = 3004;
const BASE_EVENT = 0;
const OTHER = 99;

type Classified = readonly [classUid: number, activity: number];

const CLASSES: Readonly<Record<string, Classified>> = {
  'user.login.succeeded': [AUTHENTICATION, 1],
  'user.login.failed': [AUTHENTICATION, 1],
  'user.login.denied': [AUTHENTICATION, 1],
  'client.authentication.failed': [AUTHENTICATION, 1],
  'session.ended': [AUTHENTICATION, 2],
  'user.signed_out': [AUTHENTICATION, 2],
  'user.created': [ACCOUNT_CHANGE, 1],
  'user.enabled': [ACCOUNT_CHANGE, 2],
  'user.password.changed': [ACCOUNT_CHANGE, 3],
  'user.password.reset.requested': [ACCOUNT_CHANGE, 4],
  'user.disabled': [ACCOUNT_CHANGE, 5],
  'user.deleted': [ACCOUNT_CHANGE, 6],
  'factor.added': [ACCOUNT_CHANGE, 10],
  'factor.removed': [ACCOUNT_CHANGE, 11],
  'client.secret.created': [ENTITY_MANAGEMENT, 3],
  'client.secret.deleted': [ENTITY_MANAGEMENT, 3],
};

const ENTITIES = /^(application|client|initial_access_token|key|operator|api_key|webhook)\.(\w+)$/;
const ENTITY_ACTIVITIES: Readonly<Record<string, number>> = {
  created: 1,
  added: 1,
  updated: 3,
  rotated: 3,
  deleted: 4,
  removed: 4,
};

/** A type that none of the classes is about is a base event: its own name is in `metadata.event_code`. */
export function classOf(type: string): Classified {
  const known = CLASSES[type];
  if (known) return known;
  if (type.startsWith('user.')) return [ACCOUNT_CHANGE, OTHER];
  const verb = ENTITIES.exec(type)?.[2];
  return verb === undefined ? [BASE_EVENT, OTHER] : [ENTITY_MANAGEMENT, ENTITY_ACTIVITIES[verb] ?? OTHER];
}

const INFORMATIONAL = 1;
const LOW = 2;
const MEDIUM = 3;
const HIGH = 4;
/** Somebody has what belongs to somebody else. */
const STOLEN: ReadonlySet<string> = new Set(['code.replayed', 'refresh.reused']);

function severityOf({ type, outcome }: Event): number {
  if (STOLEN.has(type)) return HIGH;
  return { success: INFORMATIONAL, failure: LOW, denied: MEDIUM }[outcome];
}

export function ocsfEvent(seq: number, event: Event, version: string) {
  const [class_uid, activity_id] = classOf(event.type);
  const isIam = class_uid !== BASE_EVENT;
  return {
    class_uid,
    category_uid: isIam ? 3 : 0,
    activity_id,
    ...(activity_id === OTHER && { activity_name: event.type }),
    type_uid: class_uid * 100 + activity_id,
    time: event.time * 1000,
    severity_id: severityOf(event),
    status_id: event.outcome === 'success' ? 1 : 2,
    status_detail: event.outcome === 'success' ? undefined : event.outcome,
    metadata: {
      version: OCSF_VERSION,
      product: { name: 'Gatehouse', vendor_name: 'Gatehouse', version },
      ...{ uid: event.id, event_code: event.type, sequence: seq, log_name: 'audit' },
    },
    ...(isIam && { actor: actorOf(event), ...originOf(event), ...objectOf(class_uid, event) }),
    unmapped: unmappedOf(event, isIam),
  };
}

function actorOf({ actor }: Event) {
  if (actor.kind === 'system' || actor.id === undefined)
    return { app_name: actor.kind === 'system' ? 'gatehouse' : actor.kind };
  const isPerson = actor.kind === 'user' || actor.kind === 'operator';
  return isPerson ? { user: { uid: actor.id } } : { app_uid: actor.id, app_name: actor.kind };
}

function originOf({ address, userAgent, requestId }: Event) {
  const request = { user_agent: userAgent, uid: requestId };
  return {
    ...(address !== undefined && { src_endpoint: { ip: address } }),
    ...((userAgent ?? requestId) !== undefined && { http_request: request }),
  };
}

/** What a class requires. A name that was typed at a failed login is in no event, so such a user is unknown. */
function objectOf(classUid: number, { type, subject, actor, app, clientId }: Event) {
  if (classUid === ENTITY_MANAGEMENT) {
    return { entity: { type: type.slice(0, type.indexOf('.')), uid: subject ?? clientId ?? app ?? 'unknown' } };
  }
  const isClient = type === 'client.authentication.failed';
  const uid = isClient ? clientId : (subject ?? (actor.kind === 'user' ? actor.id : undefined));
  const user = { ...(uid === undefined ? { name: 'unknown' } : { uid }), type_id: isClient ? SYSTEM_USER : USER };
  return classUid === AUTHENTICATION ? { user, service: { name: app ?? 'gatehouse' } } : { user };
}

const USER = 1;
const SYSTEM_USER = 3;

/** What the schema has no attribute for. */
function unmappedOf(event: Event, isIam: boolean) {
  const { app: application, clientId: client, details, actor, subject, address, userAgent: user_agent } = event;
  const rest = isIam ? {} : { actor, subject, address, user_agent, request_id: event.requestId };
  return { application, client, details, ...rest };
}
