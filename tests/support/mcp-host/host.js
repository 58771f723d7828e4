import { AppBridge, buildAllowAttribute, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge'

const frame = document.querySelector('#app')
/** Everything that the page asked its host for. */
globalThis.asked = []

/** Shows a page in a sandboxed frame under the content policy that its resource states. `callTool` is the test's: a real MCP client outside the browser. */
globalThis.show = async (html, { csp = {}, permissions }) => {
  const bridge = new AppBridge(null, { name: 'test host', version: '1' }, { serverTools: {} }, { hostContext: { theme: 'dark' } })
  bridge.oncalltool = (params) => {
    globalThis.asked.push(params.name)
    return globalThis.callTool(params)
  }
  bridge.addEventListener('sizechange', () => globalThis.asked.push('size'))
  const connect = csp.connectDomains?.length > 0 ? csp.connectDomains.join(' ') : "'none'"
  const from = csp.resourceDomains?.join(' ') ?? ''
  const policy = `default-src 'none'; script-src 'unsafe-inline' ${from}; style-src 'unsafe-inline' ${from}; img-src data: ${from}; connect-src ${connect}`
  frame.allow = buildAllowAttribute(permissions)
  const ready = new Promise((done) => bridge.addEventListener('initialized', () => done()))
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow))
  frame.srcdoc = html.replace('<head>', `<head><meta http-equiv="content-security-policy" content="${policy}">`)
  await ready
}
