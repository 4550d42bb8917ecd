import Application
import Engine
import FoundationEssentials
import Journal
import Model
import Reporting
import Session
import Waiting

extension WalkSession {
  /// Has a device blink.
  func identify(_ device: DeviceReference) async throws {
    guard let stack, let address = device.address else { return }
    let link = DeviceLink(
      stack: stack, adapters: radio.choice, scanTime: radio.scanTime, building: source.building)
    do {
      try await link.identify(address)
      say("Asked \(address) to blink")
    } catch let failure as CommandFailure {
      say("\(failure.message)\n" + (failure.advice ?? ""))
    } catch ExitStatus.interrupted {
      interrupt()
    }
  }

  /// Provisions one room as `apply` does, as a run of its own.
  func provision(_ room: RoomID) async throws {
    guard let stack, let command else { return }
    let keeping = command.record.keeping
    let run = RunIdentity(operatedBy: keeping.operatedBy)
    let scope = WorkScope(
      RoomSelection(only: [room]), RecordPermissions(rebind: released.intersection([room])))
    let lock =
      stack.isSimulated ? nil : try Claims.building(source.building.id, in: keeping.reports, for: run)
    defer { lock?.release() }
    let prepared: PreparedRun
    do {
      prepared = try PreparedRun(
        source, scope, siteKey: command.seal.siteKey, in: keeping.reports,
        isRehearsal: stack.isSimulated)
    } catch let failure as CommandFailure where failure.status == .manifest {
      walk.ended(isDone: false)
      return say("✗ \(failure.message)\n\(failure.advice ?? "")")
    }
    let request = prepared.request(
      as: run, manifest: command.manifest, isSimulated: stack.isSimulated, radio.choice,
      scanTime: radio.scanTime, parallel: 1)
    let progress = LiveProgress(
      clock: stack.clock, LiveProgress.Options(hidesEndings: true, takesKeys: false))
    let execution = RunExecution(prepared: prepared, run: run, stack: stack, keeping: keeping)
    let (requests, ask) = AsyncStream.makeStream(of: OperatorRequested.Request.self)
    var ended: RoomReport?
    let result = try await withThrowingTaskGroup(of: Void.self) { [stopped] group in
      group.addTask { if await stopped.value() != nil { ask.yield(.stop) } }
      defer { group.cancelAll() }
      return try await execution.carryOut(
        request, asking: .init(requests: requests), on: progress, stopped: stopped
      ) { report, _, _ in
        ended = report[room]
      }
    }
    if stopped.peeked != nil { interrupt() }
    if let ended { show(ended, silently: command.silent) }
    _ = try result.status(adapter: radio.adapter.first)
  }

  private func show(_ report: RoomReport, silently isSilent: Bool) {
    let isDone = report.outcome.isSuccess
    walk.ended(isDone: isDone)
    let name = report.planned.name
    if isDone {
      written = []
      let signal = report.rssi.map { ", \($0) dBm" } ?? ""
      say("✓ \(name) done\(signal)" + (walk.current.map { ", next \($0.name)" } ?? ""))
    } else {
      let words = Explanation(of: report, retry: "press r")
      say("✗ \(name): " + (words.map { "\($0.sentence)\n→ \($0.advice)" } ?? report.outcome.words))
    }
    guard !isSilent, Screen.standardError.isTerminal else { return }
    Console.ring()
    if !isDone { Console.ring() }
  }
}
