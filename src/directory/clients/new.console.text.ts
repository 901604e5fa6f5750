import { operatorTexts } from '../../platform/ui/texts.ts';
import type { Preset } from './presets.fields.ts';

/** The page of a new client. */
export const newClientText = operatorTexts({
  en: {
    title: 'New client',
    details: 'Details',
    detailsAbout: 'Everything else has a default.',
    library: 'Library',
    libraryHint: 'Fills in the redirect URIs that the library uses, and shows its configuration with the secret.',
    anyLibrary: 'Something else, or decide later',
    advanced: 'Advanced settings',
    create: 'Create client',
    made: (name: string) => `${name} is registered`,
    secret: 'Client secret',
    once: 'Copy it now: it is shown only on this page.',
    noSecret: 'This client has no secret.',
    others: 'Other libraries',
    configuration: (library: string) => `Configuration for ${library}`,
    next: 'Go to the client',
  },
  zh: {
    title: '新建客户端',
    details: '基本信息',
    detailsAbout: '只需填写没有默认值的内容。',
    library: '接入方式',
    libraryHint: '填入该库使用的地址，并显示含密钥的配置。',
    anyLibrary: '其他，或以后再定',
    advanced: '高级设置',
    create: '创建客户端',
    made: name => `${name} 已登记`,
    secret: '客户端密钥',
    once: '请立即复制：密钥只在此页面显示。',
    noSecret: '此客户端没有密钥。',
    others: '其他库',
    configuration: library => `${library} 的配置`,
    next: '前往此客户端',
  },
});

interface PresetsText {
  readonly legend: string;
  readonly kinds: Readonly<Record<Preset, readonly [name: string, meaning: string]>>;
  /** What the preset sets, beside the button that makes the client. */
  readonly effects: Readonly<Record<Preset, string>>;
}

export const presetsText = operatorTexts<PresetsText>({
  en: {
    legend: 'What are you connecting?',
    kinds: {
      web: ['Web app', 'Has a server that keeps a secret: Next.js, Spring, Django'],
      spa: ['Single-page app', 'Runs in the browser: React, Vue, Angular'],
      native: ['Native app', 'Mobile, desktop, command line'],
      machine: ['Machine', 'A service that calls an API without a user'],
      device: ['Device', 'A TV, a printer, anything without a browser'],
      legacy: ['Legacy client', 'A program that cannot use PKCE, or needs the password or implicit grant'],
    },
    effects: {
      web: 'PKCE and the client secret are required. No implicit or password grant.',
      spa: 'No secret. PKCE is required, and refresh tokens rotate.',
      native: 'No secret. PKCE is required, refresh tokens rotate, and users are asked for consent.',
      machine: 'Client credentials grant only. No users sign in.',
      device: 'No secret. People approve the device at /device, and refresh tokens rotate.',
      legacy: 'PKCE is optional, and userinfo responses follow the documented interface.',
    },
  },
  zh: {
    legend: '要接入什么？',
    kinds: {
      web: ['Web 应用', '有服务器保存密钥：Next.js、Spring、Django'],
      spa: ['单页应用', '在浏览器中运行：React、Vue、Angular'],
      native: ['原生应用', '移动、桌面、命令行'],
      machine: ['服务', '没有用户参与、调用 API 的服务'],
      device: ['设备', '电视、打印机等没有浏览器的设备'],
      legacy: ['旧客户端', '用于无法使用 PKCE，或需要密码授权、隐式授权的程序。'],
    },
    effects: {
      web: '要求 PKCE 和客户端密钥。没有隐式授权和密码授权。',
      spa: '没有密钥。要求 PKCE，刷新令牌会轮换。',
      native: '没有密钥。要求 PKCE，刷新令牌会轮换，并征求用户同意。',
      machine: '只有客户端凭据。没有人登录。',
      device: '没有密钥。用户在 /device 批准设备，刷新令牌会轮换。',
      legacy: 'PKCE 可选，userinfo 按文档接口应答。',
    },
  },
});
