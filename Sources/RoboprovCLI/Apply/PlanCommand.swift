import Application
import ArgumentParser
import Engine
import FoundationEssentials
import Host
import Model
import Reporting
import Session

/// `roboprov plan`: shows what `apply` would do. It writes to no device.
struct PlanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Show which sensor each room would get, why, and what `apply` would write to it.",
    discussion: """
      roboprov plan building.yaml
      roboprov plan building.yaml --only floor:3 --save floor3.json
      roboprov plan building.yaml --detailed-exitcode

      Scans, compares the received devices with the manifest and the record, and shows for each room the sensor, the reason \
      and the settings to write, as old → new where the record has the old value. For a password it shows only whether it \
      changes. It writes nothing to any device and does not change the record. `apply --plan FILE` applies a saved plan \
      exactly, or stops before the first write.

      EXIT STATUS
        0    the plan was made; with --detailed-exitcode: nothing to do
        2    with --detailed-exitcode: at least one room would be written
        100  with --detailed-exitcode: no room would be written, and a selected room is not done
      """)

  @Argument(
    help: ArgumentHelp("The building: rooms, minors, WiFi.", valueName: "building.yaml"), completion: .yaml)
  var manifest: String

  @OptionGroup(title: SelectionOptions.everyDay) var selection: SelectionOptions
  @OptionGroup(title: SelectionOptions.everyDay) var simulation: SimulationOptions
  @OptionGroup(title: "Permissions") var permissions: PermissionOptions
  @OptionGroup(title: "Record") var seal: SealOptions
  @OptionGroup(title: "Radio") var radio: RadioOptions

  @Option(
    help: ArgumentHelp("The reports directory, with the record of earlier runs.", valueName: "dir"),
    completion: .directory)
  var reports = Preferences.current.reports

  @Option(
    help: ArgumentHelp("Save the plan to this file, for `apply --plan`.", valueName: "file"),
    completion: .file())
  var save: String?

  @Flag(
    help: """
      Report the result in the exit status: 0 nothing to do, 2 at least one room would be written, 100 no room would be \
      written and a selected room is not done.
      """)
  var detailedExitcode = false

  @Option(name: .output, help: "Format of stdout: text for people, json for programs.")
  var output = OutputFormat.text

  func validate() throws { try permissions.check(with: selection) }

  func run() async throws {
    let written = try ManifestSource.load(manifest, keepsEnvironment: true)
    let scope = try WorkScope(selection, permissions, of: written.building)
    let source = try SecretResolver.resolve(
      written, for: scope, isRehearsal: simulation.simulate, asking: SecretPrompt.ask)
    let prepared =
      simulation.simulate
      ? try PreparedRun(
        rehearsing: source, scope, siteKey: seal.siteKey, in: reports, hasScenario: simulation.scenario != nil
      )
      : try PreparedRun(source, scope, siteKey: seal.siteKey, in: reports)
    let plan = try await simulation.access.joining(radio.hosts, of: source.building).with(
      rehearsing: prepared.subject
    ) { stack in
      try await look(prepared, stack)
    }
    if let save { try SavedPlan.save(plan, to: save) }
    switch output {
    case .json: Console.data(try SavedPlan.text(plan))
    case .text: show(plan, prepared)
    }
    if detailedExitcode, plan.status != .done { throw plan.status }
  }

  private func look(_ prepared: PreparedRun, _ stack: BluetoothStack) async throws -> ApplyPlan {
    try await Preflight.awaitAdapter(prepared, radio.choice, stack)
    let interruptions = Interruptions()
    defer { withExtendedLifetime(interruptions) {} }
    let run = RunIdentity()
    let claims = AdapterClaims(run, stack.hosts)
    let request = prepared.request(
      as: run, manifest: manifest, isSimulated: stack.isSimulated, radio.choice, scanTime: radio.scanTime)
    let environment = ApplyEnvironment(
      central: stack.central, clock: stack.clock, drivers: request.building.drivers, chance: { 0 },
      randomBytes: stack.randomBytes,
      confirm: { _ in nil },
      claim: { stack.isSimulated ? .granted : await claims.takeUnrecorded($0) },
      requests: interruptions.requests)
    let coordinator = Coordinator(clock: stack.clock, wall: stack.wall, recorder: NothingRecorded()) {
      event in
      if case .adapterAwaited(let awaited) = event.fact { Console.say(RadioMessages.waiting(awaited)) }
      if case .adapterSelected(let adapter) = event.fact {
        Console.say("Scanning on \(adapter.name) for up to \(radio.scanTime.asSeconds)")
      }
    }
    do throws(PlanFailure) {
      return try await Engine.plan(request, in: environment, recording: coordinator)
    } catch {
      switch error {
      case .interrupted: throw ExitStatus.interrupted
      case .radio(let error): throw radio.choice.failure(error)
      case .refused(let refusal): throw RefusalWords.failure(refusal)
      }
    }
  }

  private func show(_ plan: ApplyPlan, _ prepared: PreparedRun) {
    let screen = Screen.standardOutput
    let style = screen.isTerminal ? screen.style : nil
    Console.data(lines: PlanView.lines(plan, of: prepared.source.building, times: .here, style: style))
    Console.data("\n" + PlanView.summary(plan) + ".\n")
    let missing = plan.rooms.contains { $0.reason?.code == .addressMissing }
    let command =
      missing || prepared.hasMadeUpLabels
      ? "capture" : plan.rooms.contains { $0.action == .provision } && save == nil ? "apply" : nil
    // `capture` asks for all that are missing.
    let rooms = command == "apply" ? selection.words : ""
    if let command {
      Console.data("Next: roboprov \(command) \(manifest.shellQuoted)\(rooms)\(simulation.words)\n")
    }
    if let save {
      let allowed = !permissions.isEmpty
      Console.say(
        "Saved to \(save): `roboprov apply \(manifest) --plan \(save)`"
          + (allowed ? ", with the same --force, --rebind, --overwrite and --renumber" : ""))
    }
  }
}

extension ApplyPlan {
  /// The exit status for `--detailed-exitcode`.
  fileprivate var status: ExitStatus {
    if rooms.contains(where: { $0.action == .provision }) { return .changes }
    return rooms.contains { $0.action == .stop || $0.action == .await } ? .incomplete : .done
  }
}

/// A plan records nothing.
private struct NothingRecorded: RunRecorder {
  func record(_ events: [RunEvent]) async throws(RecordFailure) {}
}
