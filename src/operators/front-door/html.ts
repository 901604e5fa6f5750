import type { Reply } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { DEMO } from '../demo/demo.ts';
import type { OwnClient } from './own-clients.ts';

interface FrontView {
  readonly locale: Locale;
  /** Undefined: not signed in. */
  readonly username: string | undefined;
  readonly isOperator: boolean;
  /** Where the user can go on to. */
  readonly clients: readonly OwnClient[];
  readonly hasOwner: boolean;
  /** Whether the API reference can be read. */
  readonly hasReference: boolean;
  /** Undefined: there is no demo. */
  readonly demoUrl: string | undefined;
}

const ADD_OWNER = 'npm run -s gatehouse -- operators add USERNAME --role owner';

const words = {
  en: {
    about: 'Sign in to your applications',
    signedInAs: (name: string) => `You are signed in as ${name}`,
    clients: 'Your applications',
    account: 'Your account',
    accountAbout: 'Where you are signed in, and which applications have access.',
    console: 'Console',
    consoleAbout: 'Applications, users, activity and settings.',
    forOperators: 'For operators of this server.',
    signOut: 'Sign out',
    ownerTitle: 'This deployment has no owner yet',
    ownerText:
      'An owner manages applications, users and settings in the console. Open the link that the server printed when it started (it works for one hour), or make a user the first owner on the machine of the server:',
    demoTitle: 'Next: try the demo',
    demoSteps: (user: string) => [
      `Open the demo sign-in, and sign in as ${user} with the password that the server printed when it started.`,
      'The demo client shows what it received, and the command to paste next.',
      'Register your own application in the console or on the command line.',
    ],
    demoButton: 'Open the demo sign-in',
    reference: 'API reference',
    errors: 'Errors',
  },
  zh: {
    about: '登录您的应用',
    signedInAs: (name: string) => `您已以 ${name} 的身份登录`,
    clients: '您的应用',
    account: '您的账户',
    accountAbout: '查看登录会话和有访问权限的应用。',
    console: '控制台',
    consoleAbout: '应用、用户、活动和设置。',
    forOperators: '供此服务器的管理员使用。',
    signOut: '退出登录',
    ownerTitle: '此部署还没有所有者',
    ownerText:
      '所有者在控制台中管理应用、用户和设置。请打开服务器启动时显示的链接（一小时内有效），或在服务器所在的机器上将一个用户设为第一个所有者：',
    demoTitle: '下一步：试用演示',
    demoSteps: (user: string) => [
      `打开演示登录页面，以 ${user} 的身份登录，密码在服务器启动时显示。`,
      '演示客户端会显示收到的内容，以及接下来要运行的命令。',
      '在控制台或命令行中登记您自己的应用。',
    ],
    demoButton: '打开演示登录页面',
    reference: 'API 参考',
    errors: '错误参考',
  },
} as const;

export function frontPage(view: FrontView): Reply {
  const text = words[view.locale];
  const isStranger = view.username === undefined;
  return page({
    locale: view.locale,
    title: 'Gatehouse',
    body: html`
<header class="brand"><span class="initial" aria-hidden="true">G</span><span>Gatehouse</span></header>
<h1>${view.username === undefined ? text.about : text.signedInAs(view.username)}</h1>
${!view.hasOwner && withoutOwner(view)}
${view.demoUrl !== undefined && demo(view, view.demoUrl)}
${view.clients.length > 0 && clientList(view)}
<ul class="doors">
${view.isOperator && door('/console', text.console, text.consoleAbout)}${door('/account', text.account, text.accountAbout)}${isStranger && door('/console', text.console, text.forOperators)}</ul>
<p class="muted">${!isStranger && html`<a href="/logout">${text.signOut}</a> · `}${view.hasReference && html`<a href="/docs/api">${text.reference}</a> · `}<a href="/docs/errors">${text.errors}</a></p>`,
  });
}

function clientList({ locale, clients }: FrontView): Html {
  return html`<h2>${words[locale].clients}</h2>
<ul>
${clients.map(({ name, url }) => html`<li><a href="${url}" rel="noreferrer">${name}</a></li>\n`)}</ul>`;
}

function door(path: string, name: string, about: string): Html {
  return html`<li><a href="${path}"><strong>${name}</strong></a><br><span class="muted">${about}</span></li>\n`;
}

function withoutOwner({ locale }: FrontView): Html {
  const text = words[locale];
  return html`<h2>${text.ownerTitle}</h2>
<p>${text.ownerText}</p>
<div class="paste"><pre>${ADD_OWNER}</pre></div>`;
}

function demo({ locale }: FrontView, url: string): Html {
  const text = words[locale];
  return html`<h2>${text.demoTitle}</h2>
<ol>${text.demoSteps(DEMO.username).map(step => html`<li>${step}</li>`)}</ol>
<p><a class="button" href="${url}">${text.demoButton}</a></p>`;
}
