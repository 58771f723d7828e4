import {
  AISimulationControlService,
  AIVirtualInputService,
  AVIS_COMMANDS,
  machineResources,
  simulatedResources,
  type AvisPort,
  type Execution,
  type VirtualDriver,
} from '@deskhand/driver-virtual'
import { DeskhandError } from '@deskhand/core/errors'
import type { Principal } from '@deskhand/core/model'
import type { Config } from '../config.ts'
import type { AvisRunner, Perform } from '../tools/tool.ts'

/** AVIS on a simulated desktop: one command at a time, each in the name of its caller, and for each caller a log of its own. */
export class Avis implements AvisRunner {
  readonly #service: () => AIVirtualInputService
  readonly #services = new Map<string, AIVirtualInputService>()
  /** The service of the latest caller: what the desktop runs by itself, it runs on account of that caller's input. */
  #latest?: AIVirtualInputService
  /** What ran before the first command; its caller finds it in the log. */
  readonly #unclaimed: Execution[] = []
  #act?: Perform
  #queue: Promise<unknown> = Promise.resolve()

  constructor(driver: VirtualDriver, settings: () => Config['avis']) {
    const port: AvisPort = {
      perform: (kind, args) => {
        if (this.#act === undefined) throw new DeskhandError('INTERNAL', 'no AVIS command is under way')
        return this.#act(kind, args)
      },
    }
    const permissions = (): unknown => {
      const { hardware: _, ...rest } = settings()
      return rest
    }
    const resources = settings().hardware === 'machine' ? machineResources() : simulatedResources()
    const control = new AISimulationControlService({ port, permissions, resources })
    this.#service = () => new AIVirtualInputService({ port, desktop: driver, control })
    driver.onExecution((execution) => void (this.#latest?.log_execution(execution) ?? this.#unclaimed.push(execution)))
  }

  /** Fills the displays of permissions and hardware, before any command. */
  async prepare(): Promise<void> {
    await this.#service().refresh_simulation_status()
  }

  run(act: Perform, command: string, args: unknown, who: Principal): Promise<unknown> {
    const known = this.#services.get(who.id)
    const service = known ?? this.#service()
    this.#services.set(who.id, service)
    const turn = this.#queue.then(async () => {
      this.#act = act
      this.#latest = service
      try {
        if (known === undefined) await service.refresh_simulation_status()
        for (const execution of this.#unclaimed.splice(0)) service.log_execution(execution)
        return await AVIS_COMMANDS[command]?.run(service, args)
      } finally {
        this.#act = undefined
      }
    })
    this.#queue = turn.catch(() => {})
    return turn
  }
}
