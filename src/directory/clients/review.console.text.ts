import { operatorTexts } from '../../platform/ui/texts.ts';
import type { Question } from './review.rules.ts';

interface QuestionText {
  /** What a review would say. */
  readonly line: string;
  /** What stops working, before it is settled. */
  readonly breaks: string;
  readonly button: string;
}

/** What of a client a security review would question. */
export const reviewText = operatorTexts<{
  readonly label: string;
  readonly title: (button: string) => string;
  readonly current: string;
  readonly nothing: string;
  readonly questions: Readonly<Record<Question, QuestionText>>;
}>({
  en: {
    label: 'Security review',
    title: button => `${button}?`,
    current: 'Sessions and tokens that exist stay valid.',
    nothing: 'No findings: a security review has nothing to question here.',
    questions: {
      pkce: {
        line: 'PKCE isn’t required: an authorization code that leaks can be used in someone else’s session.',
        breaks:
          'Sign-ins fail if this client sends no code_challenge. Turn on PKCE in its library first, if it isn’t on by default.',
        button: 'Require PKCE',
      },
      secret: {
        line: 'Client authentication isn’t required: a PKCE verifier alone redeems an authorization code.',
        breaks: 'Sign-ins fail if this client redeems codes without its secret or key. Configure it there first.',
        button: 'Require client authentication',
      },
      implicit: {
        line: 'Tokens are sent through the browser (implicit or hybrid flow): they appear in URLs, where histories and logs keep them.',
        breaks:
          'Sign-ins fail if this client asks for tokens in the URL (a response_type with token, or id_token alone). Move it to the authorization code flow with PKCE first.',
        button: 'Disable tokens in URLs',
      },
      password: {
        line: 'The password grant is allowed: this client handles people’s passwords.',
        breaks:
          'Sign-ins fail if this client sends user names and passwords. Move it to the authorization code flow first.',
        button: 'Remove the password grant',
      },
    },
  },
  zh: {
    label: '安全审查',
    title: button => `${button}？`,
    current: '已有的会话和令牌仍然有效。',
    nothing: '安全审查不会对此处提出疑问。',
    questions: {
      pkce: {
        line: '未要求 PKCE：泄露的授权码可能被用于他人的会话。',
        breaks: '如果此客户端不发送 code_challenge，登录将失败。若其库默认未启用 PKCE，请先启用。',
        button: '要求 PKCE',
      },
      secret: {
        line: '未要求客户端身份验证：仅凭 PKCE 校验码即可兑换授权码。',
        breaks: '如果此客户端在兑换授权码时不使用密钥，登录将失败。请先在客户端中配置密钥。',
        button: '要求客户端身份验证',
      },
      implicit: {
        line: '令牌经浏览器返回（隐式或混合流程）：它们会出现在 URL 中，可能被历史记录和日志保存。',
        breaks:
          '如果此客户端在 URL 中请求令牌（response_type=token 或 id_token），登录将失败。请先改用带 PKCE 的授权码流程。',
        button: '停止在 URL 中返回令牌',
      },
      password: {
        line: '允许密码授权：此客户端会接触用户的密码。',
        breaks: '如果此客户端发送用户名和密码，登录将失败。请先改用授权码流程。',
        button: '移除密码授权',
      },
    },
  },
});
