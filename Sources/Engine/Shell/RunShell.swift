import Bluetooth
import Model
import Session
import Waiting

/// Performs the effects of a `RunMachine` and returns their results to it. It decides nothing: it handles
/// inputs in the order of arrival and effects in the order of the machine; those that take time are child
/// tasks.
struct RunShell: Sendable {
  let environment: ApplyEnvironment
  let coordinator: Coordinator
  let inbox = Inbox()

  var clock: any TimeSource { environment.clock }
  var central: any Central { environment.central }

  /// Signals that end child tasks early.
  private struct Controls {
    var windows: [RadioSession: OneShot<Void>] = [:]
    var attempts: [AttemptID: (end: OneShot<AttemptEnd>, permission: OneShot<FailureReason?>)] = [:]
    var questions: [OneShot<Void>] = []
  }

  /// Performs the whole run, with the coordinator in a task beside it.
  func run(_ machine: RunMachine) async -> RunEnd {
    await withTaskGroup(of: Void.self) { services in
      services.addTask { await coordinator.run { inbox.post(.recordFailed($0)) } }
      let end = await drive(machine)
      coordinator.finish()
      await services.waitForAll()
      return end
    }
  }

  private func drive(_ machine: RunMachine) async -> RunEnd {
    await withDiscardingTaskGroup { group in
      follow(in: &group)
      var (machine, controls) = (machine, Controls())
      var inputs: [RunInput] = [.started]
      while true {
        for input in inputs {
          if case .sessionEnded(_, let attempt) = input { controls.attempts[attempt] = nil }
          for effect in machine.handle(input, at: clock.now) {
            if case .finish(let end) = effect {
              group.cancelAll()
              return end
            }
            perform(effect, &controls, in: &group)
          }
        }
        inputs = await inbox.take(until: machine.wake, on: clock)
        if inputs.isEmpty { inputs = [.timePassed] }
      }
    }
  }

  /// Posts the events that no effect asked for.
  private func follow(in group: inout DiscardingTaskGroup) {
    group.addTask {
      for await _ in await central.adapterChanges() { inbox.post(.adaptersChanged) }
      inbox.post(.adapterChangesEnded)
    }
    group.addTask { for await request in environment.requests { inbox.post(.requested(request)) } }
    group.addTask { for await pause in environment.pauses { inbox.post(.hostPaused(pause)) } }
  }

  private func perform(_ effect: RunEffect, _ controls: inout Controls, in group: inout DiscardingTaskGroup) {
    switch effect {
    case .record(let fact): coordinator.note(fact)
    case .listAdapters: group.addTask { await listAdapters() }
    case .claim(let adapter): group.addTask { await claim(adapter) }
    case .findLeftLinks(let session, let bonds):
      group.addTask { await findLeftLinks(session, removingBonds: bonds) }
    case .releaseLinks(let addresses, let session): group.addTask { await release(addresses, session) }
    case .askScanningClients(let session): group.addTask { await askScanningClients(session) }
    case .scan(let session, let addresses):
      let end = OneShot<Void>()
      controls.windows[session] = end
      group.addTask { await scan(session, forgetting: addresses, until: end) }
    case .endScan(let session):
      controls.windows.removeValue(forKey: session)?.fulfill()
    case .powerCycle(let session): group.addTask { await powerCycle(session) }
    case .begin(let attempt):
      let (end, permission) = (OneShot<AttemptEnd>(), OneShot<FailureReason?>())
      controls.attempts[attempt.id] = (end, permission)
      group.addTask { await carryOut(attempt, endedBy: end, permittedBy: permission) }
    case .answerWriter(let id, let reason):
      controls.attempts[id]?.permission.fulfill(reason)
    case .endAttempt(let id, let end):
      controls.attempts[id]?.end.fulfill(end)
    case .askForAction(let id, let room):
      let end = question(&controls)
      group.addTask {
        let action = await ended(by: end) { await environment.action(room) }
        inbox.post(.action(action, id))
      }
    case .confirm(let proposals):
      let end = question(&controls)
      group.addTask { inbox.post(.confirmed(await ended(by: end) { await environment.confirm(proposals) })) }
    case .judge(let first):
      let end = question(&controls)
      group.addTask { inbox.post(.judged(await ended(by: end) { await environment.judge(first) })) }
    case .withdrawQuestions:
      for question in controls.questions { question.fulfill() }
    case .forgetLeftovers(let devices): group.addTask { await forget(devices) }
    case .finish: preconditionFailure("drive(_:) handles finish itself")
    }
  }

  private func question(_ controls: inout Controls) -> OneShot<Void> {
    let end = OneShot<Void>()
    controls.questions.append(end)
    return end
  }

  /// Runs `body` to its end, and cancels it when `end` is fulfilled.
  func ended<Value: Sendable>(
    by end: OneShot<some Sendable>, _ body: @escaping @Sendable () async -> Value
  ) async -> Value {
    await withTaskGroup(of: Value?.self) { group in
      group.addTask { await body() }
      group.addTask {
        await end.value()
        return nil
      }
      for await value in group {
        group.cancelAll()
        if let value { return value }
      }
      preconditionFailure("the body task ended without a value")
    }
  }
}
