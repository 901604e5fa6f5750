import { type Html, html } from '../../platform/ui/html.ts';
import { operatorTexts } from '../../platform/ui/texts.ts';

/** The page of a new provider. */
export const newProviderText = operatorTexts({
  en: {
    title: 'New identity provider',
    legend: 'What do people sign in with?',
    register: 'Register at the provider',
    details: 'What the provider gives you',
    name: 'Name it',
    id: ['Identifier', 'Part of the URLs below. It cannot be changed later.'],
    idAlone: ['Identifier', 'Used in files and commands. It cannot be changed later.'],
    advanced: 'Advanced settings',
    create: 'Create provider',
    effect: 'Nobody sees it until an application offers it.',
  },
  zh: {
    title: '新建身份提供方',
    legend: '用户使用什么登录？',
    register: '在提供方处登记',
    details: '提供方给您的信息',
    name: '命名',
    id: ['标识', '是下列地址的一部分，之后不能更改。'],
    idAlone: ['标识', '文件和命令中使用的名称，之后不能更改。'],
    advanced: '高级设置',
    create: '创建提供方',
    effect: '在有应用提供它之前，没有人会看到。',
  },
});

export interface PresetText {
  /** What people call it: the default of its name. */
  readonly name: string;
  readonly meaning: string;
  /** Where to register this server there. */
  readonly where?: Html;
}

/** By type. A type without words of its own is shown by its name. */
export const presetText = operatorTexts<Readonly<Record<string, PresetText>>>({
  en: {
    google: {
      name: 'Google',
      meaning: 'Google accounts and Google Workspace',
      where: html`Google Cloud console, <i>APIs &amp; Services</i>, <i>Credentials</i>: an OAuth client ID of the type <i>Web application</i>.`,
    },
    microsoft: {
      name: 'Microsoft',
      meaning: 'Entra ID, Microsoft 365, personal accounts',
      where: html`Microsoft Entra admin center, <i>App registrations</i>, <i>New registration</i>, with the platform <i>Web</i>; then <i>Certificates &amp; secrets</i>.`,
    },
    apple: {
      name: 'Apple',
      meaning: 'Sign in with Apple',
      where: html`Apple Developer, <i>Identifiers</i>: a <i>Services ID</i> with Sign in with Apple; <i>Keys</i>: a key for it.`,
    },
    github: {
      name: 'GitHub',
      meaning: 'GitHub accounts',
      where: html`GitHub, <i>Settings</i>, <i>Developer settings</i>, <i>OAuth Apps</i>, <i>New OAuth app</i>.`,
    },
    gitlab: {
      name: 'GitLab',
      meaning: 'GitLab.com or your own GitLab',
      where: html`GitLab, <i>Applications</i>, with the scopes <code>openid</code>, <code>profile</code> and <code>email</code>.`,
    },
    gatehouse: {
      name: 'Gatehouse',
      meaning: 'Another deployment of Gatehouse',
      where: html`The console there: a new client of the kind <i>Web app</i>.`,
    },
    oidc: {
      name: 'OpenID Connect',
      meaning: 'Okta, Keycloak, Auth0, any OpenID provider',
      where: html`At the provider: a confidential web application with the authorization code flow.`,
    },
    oauth: { name: 'OAuth', meaning: 'An OAuth 2.0 service with a user profile endpoint' },
    saml: { name: 'SAML', meaning: 'SAML 2.0: AD FS, Shibboleth, older systems' },
    ldap: { name: 'LDAP', meaning: 'Active Directory, OpenLDAP, with the usual sign-in form' },
    'password-check': { name: 'Password check', meaning: 'An old system that people are moving away from' },
  },
  zh: {
    google: {
      name: 'Google',
      meaning: 'Google 账户和 Google Workspace',
      where: html`Google Cloud 控制台，<i>APIs &amp; Services</i>，<i>Credentials</i>：类型为 <i>Web application</i> 的 OAuth 客户端 ID。`,
    },
    microsoft: {
      name: 'Microsoft',
      meaning: 'Entra ID、Microsoft 365、个人账户',
      where: html`Microsoft Entra 管理中心，<i>App registrations</i>，<i>New registration</i>，平台为 <i>Web</i>；然后是 <i>Certificates &amp; secrets</i>。`,
    },
    apple: {
      name: 'Apple',
      meaning: '通过 Apple 登录',
      where: html`Apple Developer，<i>Identifiers</i>：启用 Sign in with Apple 的 <i>Services ID</i>；<i>Keys</i>：对应的密钥。`,
    },
    github: {
      name: 'GitHub',
      meaning: 'GitHub 账户',
      where: html`GitHub，<i>Settings</i>，<i>Developer settings</i>，<i>OAuth Apps</i>，<i>New OAuth app</i>。`,
    },
    gitlab: {
      name: 'GitLab',
      meaning: 'GitLab.com 或您自己的 GitLab',
      where: html`GitLab，<i>Applications</i>，范围为 <code>openid</code>、<code>profile</code> 和 <code>email</code>。`,
    },
    gatehouse: {
      name: 'Gatehouse',
      meaning: '另一个 Gatehouse 部署',
      where: html`在对方的控制台：新建一个 <i>Web 应用</i> 类型的客户端。`,
    },
    oidc: {
      name: 'OpenID Connect',
      meaning: 'Okta、Keycloak、Auth0，任何 OpenID 提供方',
      where: html`在提供方处：使用授权码流程的机密 Web 应用。`,
    },
    oauth: { name: 'OAuth', meaning: '支持 OAuth 2.0 并提供个人资料地址的服务' },
    saml: { name: 'SAML', meaning: 'SAML 2.0：AD FS、Shibboleth、较早的系统' },
    ldap: { name: 'LDAP', meaning: 'Active Directory、OpenLDAP：使用普通登录表单' },
    'password-check': { name: '密码核对', meaning: '旧系统，用于逐步迁移用户' },
  },
});
