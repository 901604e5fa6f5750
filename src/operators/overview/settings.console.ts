import { outboxOf } from '../../notify/mail/operations.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Services } from '../../services.ts';
import { refusalOf } from '../api/endpoint.ts';
import { unknown } from '../api/outcome.ts';
import type { ConsolePage } from '../console/page.ts';
import { copyable, pill, table } from '../console/parts.ts';
import { places } from '../console/places.ts';
import { inLocale } from '../console/text.ts';

type Setting = Services['config']['settings'][number];

const words = inLocale({
  en: {
    title: 'Settings',
    about: 'What this process runs with. To change a setting, set it in the environment and start again.',
    columns: ['Setting', 'Value', 'From', 'Meaning'],
    outbox: 'Open the outbox',
    unset: 'not set',
    sources: { environment: 'environment', default: 'default', derived: 'other settings', generated: 'generated' },
    meanings: {
      PORT: 'The port that the server listens on.',
      HOST: 'The address that it listens on.',
      BASE_URL: 'The public origin. Issuers and links derive from it.',
      DATABASE_URL: 'The store: the embedded one, or PostgreSQL.',
      DATABASE_LISTEN_URL: 'The same database past a pooler that hands out connections by transaction.',
      DATABASE_TIMEOUT: 'Seconds after which a request waits for the database no longer.',
      GATEHOUSE_CITUS: 'Whether the database is a Citus cluster.',
      GATEHOUSE_CITUS_SPREAD: 'Applications whose tokens are spread over several parts of the cluster.',
      DOCS_URL: 'Where error_uri points to.',
      GATEHOUSE_SECRET: 'Seals signing keys and pending requests. The newest is the first.',
      TRUSTED_PROXIES: 'Your proxies, whose X-Forwarded-For is believed.',
      GATEHOUSE_OUTBOUND_ALLOW: 'Private networks that webhooks and back-channel logout may reach.',
      MAIL_URL: 'Where mail goes: a mail server (SMTP), or a folder of files.',
      MAIL_FROM: 'The sender of mail.',
      GATEHOUSE_MAX_CONNECTIONS_PER_ADDRESS: 'Open connections from one network address; 0 for no limit.',
      PASSWORD_RANGE_URL: 'The service that is asked whether a new password is known from a breach.',
      GATEHOUSE_ALLOW_HTTP: 'Allows plain http beyond this machine.',
      GATEHOUSE_DEMO: 'Whether an empty store gets the demo application.',
      GATEHOUSE_API_DOCS: 'Who may read the API reference: everybody, operators, or nobody.',
      GATEHOUSE_OPERATOR_MFA: 'Whether operators need a second factor.',
      GATEHOUSE_WORKERS: 'Processes on one port; auto for one per core.',
      GATEHOUSE_METRICS_PORT: 'A port of its own for /metrics.',
      GATEHOUSE_METRICS_HOST: 'The address of that port.',
      GATEHOUSE_METRICS_TOKEN: 'With it, /metrics is on the main port too.',
      GATEHOUSE_EVENTS_RETENTION_DAYS: 'Days for which events are kept.',
      LOG_LEVEL: 'What is logged.',
    } satisfies Record<Setting['name'], string>,
  },
  zh: {
    title: '设置',
    about: '此进程当前使用的设置。要更改设置，请修改环境变量并重新启动。',
    columns: ['设置', '值', '来源', '含义'],
    outbox: '打开发件箱',
    unset: '未设置',
    sources: { environment: '环境变量', default: '默认值', derived: '由其他设置得出', generated: '自动生成' },
    meanings: {
      PORT: '服务器监听的端口。',
      HOST: '服务器监听的地址。',
      BASE_URL: '公开的源。签发者和链接由它得出。',
      DATABASE_URL: '存储：内置数据库或 PostgreSQL。',
      DATABASE_LISTEN_URL: '同一数据库的直接地址，绕过按事务分配连接的连接池。',
      DATABASE_TIMEOUT: '请求等待数据库的最长秒数。',
      GATEHOUSE_CITUS: '数据库是否为 Citus 集群。',
      GATEHOUSE_CITUS_SPREAD: '令牌分散存放在集群多个分区中的应用。',
      DOCS_URL: 'error_uri 指向的地址。',
      GATEHOUSE_SECRET: '用于加密签名密钥和未完成的请求。最新的在最前。',
      TRUSTED_PROXIES: '您的代理，其 X-Forwarded-For 会被采信。',
      GATEHOUSE_OUTBOUND_ALLOW: 'Webhook 和后端退出通知可以访问的私有网络。',
      MAIL_URL: '邮件的去处：邮件服务器（SMTP）或存放文件的文件夹。',
      MAIL_FROM: '邮件的发件人。',
      GATEHOUSE_MAX_CONNECTIONS_PER_ADDRESS: '同一网络地址的最大连接数；0 表示不限。',
      PASSWORD_RANGE_URL: '查询新密码是否已泄露的服务。',
      GATEHOUSE_ALLOW_HTTP: '允许在本机以外使用不加密的 http。',
      GATEHOUSE_DEMO: '空的存储是否创建演示应用。',
      GATEHOUSE_API_DOCS: '谁可以阅读 API 参考：所有人、管理员或无人。',
      GATEHOUSE_OPERATOR_MFA: '管理员是否需要第二重验证。',
      GATEHOUSE_WORKERS: '同一端口上的进程数；auto 表示每个核心一个。',
      GATEHOUSE_METRICS_PORT: '/metrics 的独立端口。',
      GATEHOUSE_METRICS_HOST: '该端口的地址。',
      GATEHOUSE_METRICS_TOKEN: '设置后，主端口也提供 /metrics。',
      GATEHOUSE_EVENTS_RETENTION_DAYS: '事件的保留天数。',
      LOG_LEVEL: '日志级别。',
    } satisfies Record<Setting['name'], string>,
  },
});

/** /console/settings: read-only. A role that is limited to applications does not reach it. */
export const settings: ConsolePage = {
  place: 'settings',
  show: async ({ locale, can, may, services }) => {
    if (!can(places.settings.needs)) return refusalOf(unknown('object'));
    const text = words(locale);
    const rows = services.config.settings.map(({ name, value, source }) => [
      copyable(locale, name),
      value === undefined ? html`<span class="muted">${text.unset}</span>` : html`<code>${value}</code>`,
      pill(source === 'environment' ? 'ok' : 'plain', text.sources[source]),
      html`<span class="muted">${text.meanings[name]}</span>`,
    ]);
    return {
      title: text.title,
      about: html`${text.about}`,
      actions: may('owner') && outboxOf({ services }) !== undefined ? outboxLink(text.outbox) : undefined,
      body: html`<section>${table(text.columns, rows, html``)}</section>`,
    };
  },
};

function outboxLink(label: string): Html {
  return html`<a class="button quiet" href="/console/outbox">${label}</a>`;
}
