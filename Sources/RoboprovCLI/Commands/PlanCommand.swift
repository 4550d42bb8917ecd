import ArgumentParser
import Bluetooth
import Engine
import Foundation
import Journal
import Model
import Reporting
import Session

/// `roboprov plan`: what `apply` would do, before anything is written.
struct PlanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Show what `apply` would do, to which sensors, on what evidence and why; write nothing.",
    discussion: """
      Listens, holds what it hears against the manifest and the record, and shows what would be done for each room: \
      which sensor it gets, why, and what would be written to it, as old → new where the record knows what the sensor \
      was given before. Of a password it says only whether it is the same. With --save, `apply --plan FILE` does exactly \
      that later on, or nothing.

      EXIT STATUS
        0    the plan is made, whatever it says
        With --detailed-exitcode:
        0    nothing is to do: every selected room is done, accepted or retired
        2    some room would be written
        100  nothing would be written, and some selected room is not done: it needs somebody first, or was not heard
        Others as of `apply`.
      """)

  @Argument(
    help: ArgumentHelp("The building: rooms, minors, WiFi.", valueName: "building.yaml"), completion: .yaml)
  var manifest: String

  @OptionGroup var work: WorkOptions

  @Option(
    help: ArgumentHelp("Where it is found what earlier runs did.", valueName: "dir"), completion: .directory)
  var reports = Preferences.current.reports

  @Option(help: ArgumentHelp("Write the plan to a file.", valueName: "file"), completion: .file())
  var save: String?

  @Flag(
    help: """
      Let the exit status tell what there is to do: 0 nothing, 2 some room would be written, 100 nothing would be \
      written and some selected room is not done.
      """)
  var detailedExitcode = false

  @OptionGroup var radio: RadioOptions
  @OptionGroup var simulation: SimulationOptions

  @Option(help: "What goes to stdout.")
  var output = OutputFormat.text

  func run() async throws {
    let written = try ManifestSource.load(manifest, keepsEnvironment: true)
    let scope = try WorkScope(work, of: written.building)
    let source = try SecretResolver.resolve(written, for: scope, isRehearsal: simulation.simulate)
    let undertaking = try Undertaking(source, scope, work.seal, in: reports)
    let plan = try await Radio.with(simulation, rehearsing: undertaking.subject) { setup in
      try await look(undertaking, setup)
    }
    if let save { try SavedPlan.save(plan, to: save) }
    switch output {
    case .json: Console.data(try SavedPlan.text(plan))
    case .text: show(plan, undertaking)
    }
    if detailedExitcode, plan.status != .done { throw plan.status.exit }
  }

  private func look(_ undertaking: Undertaking, _ setup: Radio.Setup) async throws -> ApplyPlan {
    try await Preflight.awaitAdapter(
      undertaking, radio, setup, kernel: .ofThisHost(unless: simulation.simulate))
    let interruptions = Interruptions()
    defer { withExtendedLifetime(interruptions) {} }
    let run = RunIdentity()
    let claims = AdapterClaims(run)
    let request = undertaking.request(as: run, manifest: manifest, simulation, radio)
    let environment = ApplyEnvironment(
      central: setup.central, clock: setup.clock, chance: { 0 }, confirm: { _ in true },
      claim: { [simulation] in simulation.simulate ? .granted : await claims.take($0) },
      requests: interruptions.requests)
    let coordinator = Coordinator(clock: setup.clock, wall: setup.wall, recorder: NothingRecorded()) {
      event in
      if case .adapterAwaited(let awaited) = event.fact { Console.say(RadioTrouble.waiting(awaited)) }
      if case .adapterSelected(let adapter) = event.fact {
        Console.say("Listening on \(adapter.name) for up to \(radio.listen.formatted()) s")
      }
    }
    do throws(PlanFailure) {
      return try await Engine.plan(request, in: environment, recording: coordinator)
    } catch {
      switch error {
      case .interrupted: throw ExitStatus.interrupted.exit
      case .radio(let error): throw RadioTrouble.failure(error, adapter: radio.adapter.first)
      case .refused(let refusal): throw RefusalWords.failure(refusal)
      }
    }
  }

  private func show(_ plan: ApplyPlan, _ undertaking: Undertaking) {
    let screen = Screen.standardOutput
    let style = screen.isTerminal ? screen.style : nil
    Console.data(lines: PlanView.lines(plan, of: undertaking.source.building, style: style))
    let time = TimeEstimate(undertaking.archive)
    Console.data("\n" + PlanView.summary(plan) + ". " + time.words(for: plan) + "\n")
    if let save {
      let allowed = work.renumber || !work.force.isEmpty || !work.rebind.isEmpty || !work.overwrite.isEmpty
      Console.say(
        "Saved to \(save): `roboprov apply \(manifest) --plan \(save)`"
          + (allowed ? ", with the same --force, --rebind, --overwrite and --renumber" : ""))
    }
  }
}

extension ApplyPlan {
  /// What there is to do, as `--detailed-exitcode` tells it.
  fileprivate var status: ExitStatus {
    if rooms.contains(where: { $0.action == .provision }) { return .changes }
    return rooms.contains { $0.action == .stop || $0.action == .await } ? .incomplete : .done
  }
}

/// A plan leaves no record.
private struct NothingRecorded: RunRecorder {
  func record(_ events: [RunEvent]) async throws(RecordFailure) {}
}
