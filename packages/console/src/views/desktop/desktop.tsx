import { CircleCheck, CirclePause, OctagonX } from 'lucide-react'
import { useConsole, useDesktop, useUnread } from '../../parts/context.ts'
import { Empty } from '../../parts/parts.tsx'
import { RecordMark } from '../../parts/record-mark.tsx'
import { heldBy } from '../../parts/standing.tsx'
import { TEXT } from '../../text.ts'
import { Hints } from './hints.tsx'
import { QuestionCard } from './question-card.tsx'
import { Screen } from './screen.tsx'
import { StepList } from './step-list.tsx'

/** The live picture; beside it the questions that wait, then the steps as they happen. */
export function DesktopView() {
  const { questions, rows, link, isRead, info, isMine } = useDesktop()
  const { api } = useConsole()
  const unread = useUnread()
  const mayAnswer = api.mayOperate && link === 'live'
  const held = heldBy(info, isMine)
  const Icon = held === undefined ? CircleCheck : held === 'stopped' ? OctagonX : CirclePause
  const open = questions.filter((q) => q.state === 'open')
  return (
    <main className="desk">
      <div className="stage">
        <h1 className="visually-hidden">{TEXT.views.desktop}</h1>
        <Screen />
        <Hints />
      </div>
      <aside className="side">
        <section className="questions" aria-label={TEXT.questionsUnread}>
          <h2 className="sec" aria-live="polite">
            {isRead ? TEXT.questions(open.length) : TEXT.questionsUnread}
          </h2>
          <div className="scroll">
            {[...open, ...questions.filter((q) => q.state !== 'open')].map((question) => (
              <QuestionCard key={question.approval.id} question={question} hasKeys={question === open[0]} mayAnswer={mayAnswer} />
            ))}
            {!isRead && <p className="loading">{unread}</p>}
            {isRead && questions.length === 0 && (
              <Empty icon={<Icon size={26} aria-hidden="true" />} title={held === undefined ? TEXT.noQuestions : TEXT.held[held].empty} />
            )}
          </div>
        </section>
        <section aria-label={TEXT.steps}>
          <h2 className="sec">
            {TEXT.steps}
            <RecordMark />
          </h2>
          {isRead ? <StepList rows={rows.list} /> : <p className="loading">{unread}</p>}
        </section>
      </aside>
    </main>
  )
}
