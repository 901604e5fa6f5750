import { capability, grant } from '../../capability.ts';
import { endpoint, FOR_CLIENTS, form, late, pageOf } from '../../platform/http/route.ts';
import { DEVICE_GRANT } from './rules.ts';
import { deviceTables } from './tables.ts';

/**
 * The device authorization grant (RFC 8628): {issuer}/device_authorization for the device, /device for the person who approves it, and the
 * grant that the device polls with.
 */
export const device = capability('oauth/device', {
  routes: [
    endpoint('device_authorization', FOR_CLIENTS, {
      POST: form(late(() => import('./endpoint.ts'), 'deviceAuthorization')),
    }),
    pageOf('/device', () => import('./page.ts'), 'showDevice', 'submitDevice'),
  ],
  discovery: { device_authorization_endpoint: '/device_authorization' },
  grants: {
    [DEVICE_GRANT]: grant(() => import('./grant.ts'), 'deviceCode', {
      asksUser: true,
      label: {
        en: 'Device code: for devices without a browser; the user approves them at /device',
        zh: '设备代码：用于没有浏览器的设备；用户在 /device 同意',
      },
    }),
  },
  tables: deviceTables,
});
