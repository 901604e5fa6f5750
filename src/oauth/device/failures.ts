import type { FailureDefinition } from '../../platform/http/failure-definition.rules.ts';

/** Failures of the device authorization grant (RFC 8628 section 3.5), and of the page on which a person approves a device. */
export const deviceFailures = {
  authorizationPending: {
    error: 'authorization_pending',
    status: 400,
    description: 'The user has not decided yet.',
    cause: 'Nobody has approved or denied the device, or the backchannel request, so far.',
    fix: 'Poll again after the interval, until expires_in has passed.',
    title: { en: 'The client is waiting for the user', zh: '客户端正在等待用户' },
    rule: {
      en: 'A device or backchannel request waits until a person has decided.',
      zh: '设备或后端通道请求等待用户作出决定。',
      reference: 'RFC 8628 section 3.5, OpenID Connect CIBA section 11',
    },
  },
  slowDown: {
    error: 'slow_down',
    status: 400,
    description: 'The client polls too often.',
    cause: 'Less time has passed since the last poll than the interval. The interval has grown by 5 seconds.',
    fix: 'Wait 5 seconds longer than before between two polls, from now on.',
    title: { en: 'The client polls too often', zh: '客户端轮询过于频繁' },
    rule: {
      en: 'A client waits at least the interval between two polls.',
      zh: '客户端两次轮询之间至少间隔 interval 秒。',
      reference: 'RFC 8628 section 3.5, OpenID Connect CIBA section 11',
    },
  },
  deviceCodeExpired: {
    error: 'expired_token',
    status: 400,
    description: 'The device code has expired.',
    cause: 'Nobody has approved or denied the device within expires_in seconds.',
    fix: 'Send a new device authorization request, and show its user_code.',
    title: { en: 'The device code has expired', zh: '设备代码已过期' },
    rule: {
      en: 'A device code is valid for ten minutes.',
      zh: '设备代码的有效期为十分钟。',
      reference: 'RFC 8628 section 3.2',
    },
  },
  deviceDenied: {
    error: 'access_denied',
    status: 400,
    description: 'The user has denied the request of the device.',
    cause:
      "The user has denied it, the application does not admit this user, or the user's access ended before the device got its tokens.",
    fix: 'Tell the person at the device. A new attempt needs a new device authorization request.',
    title: { en: 'The user has denied the device', zh: '用户拒绝了设备' },
    rule: {
      en: 'A device gets tokens only if a person approves it.',
      zh: '只有用户同意后，设备才能获得令牌。',
      reference: 'RFC 8628 section 3.5',
    },
  },
  deviceUserNotAllowed: {
    error: 'access_denied',
    status: 400,
    description: 'The user has no access to this application.',
    cause: 'The setting access of the application no longer admits the user who approved the device.',
    fix: 'Tell the person at the device. An operator can give the user a group or role that the application admits.',
    title: { en: 'The user of the device has no access', zh: '设备的用户无权访问' },
    rule: {
      en: 'The setting access of an application says who may sign in to it.',
      zh: '应用的 access 设置决定谁可以登录。',
      reference: 'RFC 8628 section 3.5',
    },
  },
  deviceCodeInvalid: {
    error: 'invalid_grant',
    status: 400,
    description: 'The device_code is invalid.',
    cause: 'This application has never issued the device code, or issued it to another client, or it expired long ago.',
    fix: 'Send the device_code unchanged, with the client and to the application that asked for it.',
    title: { en: 'The device code is invalid', zh: '设备代码无效' },
    rule: {
      en: 'A device code is valid for the client that requested it, at its application.',
      zh: '设备代码只能由请求它的客户端在其应用中使用。',
      reference: 'RFC 8628 section 3.4',
    },
  },
  deviceCodeRedeemed: {
    error: 'invalid_grant',
    status: 400,
    description: 'The device_code is invalid.',
    cause: 'The device has already received its tokens. A device code can be used once.',
    fix: 'Stop polling after the first response with tokens, and poll with one request at a time.',
    title: { en: 'The device code was used before', zh: '设备代码已被使用' },
    rule: {
      en: 'A device code returns tokens once.',
      zh: '设备代码只能换取一次令牌。',
      reference: 'RFC 8628 section 3.4',
    },
  },
  tooManyDeviceRequests: {
    error: 'temporarily_unavailable',
    status: 429,
    description: 'Too many device authorization requests. Try again later.',
    cause: 'A client without a secret has sent more of them from this network address than devices are likely to need.',
    fix: 'Send one when a person begins to connect a device. Wait as many seconds as the Retry-After header says.',
    title: { en: 'Too many device authorization requests', zh: '设备授权请求过多' },
    rule: {
      en: 'Device authorization requests of clients without a secret are limited by network address.',
      zh: '没有密钥的客户端的设备授权请求数按网络地址受限。',
      reference: 'RFC 8628 section 5.2',
    },
  },
  userCodeInvalid: {
    error: 'invalid_request',
    status: 400,
    description: 'No device waits with this code.',
    cause: 'The code was typed wrongly, has expired, or was used. The response does not say which.',
    fix: 'Type the code as the device shows it now.',
    title: { en: 'No device is waiting with this code', zh: '没有设备在等待此代码' },
    rule: {
      en: 'A person approves a device by the code that it shows.',
      zh: '用户通过设备显示的代码同意该设备。',
      reference: 'RFC 8628 section 3.3',
    },
  },
  tooManyUserCodes: {
    error: 'temporarily_unavailable',
    status: 429,
    description: 'Too many wrong codes. Try again later.',
    cause:
      'Too many codes of devices that do not exist were typed from this network address, by this user, or by all visitors together.',
    fix: 'Wait as many seconds as the Retry-After header says.',
    title: { en: 'Too many wrong device codes', zh: '设备代码错误次数过多' },
    rule: {
      en: 'Guesses at the codes of devices are limited, on all nodes together.',
      zh: '对设备代码的猜测次数在所有节点上合并受限。',
      reference: 'RFC 8628 section 5.1',
    },
  },
} as const satisfies Record<string, FailureDefinition>;
