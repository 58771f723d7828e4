import type { Server, ServerContext } from '@modelcontextprotocol/server'
import { DeskhandError } from '@deskhand/core/errors'
import { appContent, appResource } from './app.ts'
import { skillContent, skillResources } from './skills.ts'

/** What clients may read: the skill, and for those that show pages the page. */
export function serveResources(server: Server, hasApp: (ctx: ServerContext) => boolean): void {
  const listed = (ctx: ServerContext) => [...skillResources(), ...(hasApp(ctx) ? [appResource] : [])]
  server.setRequestHandler('resources/list', (_, ctx) => ({ resources: listed(ctx) }))
  server.setRequestHandler('resources/read', ({ params: { uri } }, ctx) => {
    const content = skillContent(uri) ?? (hasApp(ctx) ? appContent(uri) : undefined)
    if (content !== undefined) return { contents: [content] }
    throw new DeskhandError('NOT_FOUND', `there is no ${JSON.stringify(uri)}`, {
      next: `Use one of: ${listed(ctx)
        .map((r) => r.uri)
        .join(', ')}.`,
    })
  })
}
