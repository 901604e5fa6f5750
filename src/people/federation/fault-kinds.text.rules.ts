import { type Advice, advice } from './known-faults.text.rules.ts';

/** What is known of the kind of a fault alone. */
export const BY_KIND: Readonly<Record<string, Advice>> = {
  unavailable: advice(
    ['It did not answer in time.', 'Check that the provider runs, its address, and that this server can reach it.'],
    ['提供方没有及时响应。', '请检查提供方是否运行、地址是否正确，以及本服务器能否访问。'],
  ),
  invalid: advice(
    [
      'What the provider sent is not valid.',
      'Compare issuer and client_id with the provider. If they are right, somebody may have tampered with the answer.',
    ],
    ['提供方发送的内容无效。', '请核对 issuer 和 client_id。如果正确，响应可能被篡改。'],
  ),
  wrong: advice(
    [
      'The directory does not know the name, the password is another, or the account there is disabled.',
      'Compare search_base and search_filter with the entry of this person, and try the password elsewhere.',
    ],
    [
      '目录中没有此用户名，密码不同，或对方的账户已停用。',
      '请将 search_base 和 search_filter 与该用户的条目核对，并在其他地方验证密码。',
    ],
  ),
  cancelled: advice(
    [
      'The person turned back at the provider, or a policy there refused.',
      'Nothing, if it was meant. Otherwise ask the administrators there whether this person may use this application.',
    ],
    ['用户在对方处返回，或对方的策略拒绝。', '如属有意则无需处理；否则请向对方管理员确认该用户是否可以使用此应用。'],
  ),
  disabled: advice(
    ['The account of this person is disabled here.', 'Enable the user, if the person may come in.'],
    ['该用户在此处的账户已停用。', '如允许该用户登录，请启用账户。'],
  ),
  unknownPerson: advice(
    [
      'The person has no account here, and the provider creates none (create_users: false).',
      'Link the person to a user, or turn create_users on.',
    ],
    ['该用户在此处没有账户，且此提供方不创建账户（create_users: false）。', '请将其与用户关联，或开启 create_users。'],
  ),
  otherPerson: advice(
    [
      'The request is for one user, and the person is another.',
      'The person signs in at the provider with the account of that user.',
    ],
    ['该请求只针对某个用户，而登录的是另一个人。', '请在提供方处使用该用户的账户登录。'],
  ),
  alreadyLinked: advice(
    [
      'The person belongs to another account here already.',
      'Remove the link on the page of that user, if it is wrong.',
    ],
    ['该用户已属于此处的另一个账户。', '如果关联有误，请在那个用户的页面上移除。'],
  ),
};
