import {
  AISimulationControlService,
  AIVirtualInputService,
  AVIS_COMMANDS,
  machineResources,
  type AvisPort,
  type VirtualDriver,
} from '@deskhand/driver-virtual'
import { DeskhandError } from '@deskhand/core/errors'
import type { Principal } from '@deskhand/core/model'
import type { AIPermissionSet } from '@deskhand/driver-virtual'
import type { Perform } from './tools/tool.ts'

/** AVIS on a simulated desktop: one command at a time, each in the name of whoever called, and for each caller a log of its own. */
export class Avis {
  readonly #service: () => AIVirtualInputService
  readonly #services = new Map<string, AIVirtualInputService>()
  #act?: Perform
  #queue: Promise<unknown> = Promise.resolve()

  constructor(driver: VirtualDriver, permissions: () => AIPermissionSet) {
    const port: AvisPort = {
      perform: (kind, args) => {
        if (this.#act === undefined) throw new DeskhandError('INTERNAL', 'no AVIS command is under way')
        return this.#act(kind, args)
      },
    }
    const control = new AISimulationControlService({ port, permissions, resources: machineResources() })
    this.#service = () => new AIVirtualInputService({ port, desktop: driver, control })
  }

  run(act: Perform, command: string, args: unknown, who: Principal): Promise<unknown> {
    const service = this.#services.get(who.id) ?? this.#service()
    this.#services.set(who.id, service)
    const turn = this.#queue.then(async () => {
      this.#act = act
      try {
        return await AVIS_COMMANDS[command]?.run(service, args)
      } finally {
        this.#act = undefined
      }
    })
    this.#queue = turn.catch(() => {})
    return turn
  }
}
