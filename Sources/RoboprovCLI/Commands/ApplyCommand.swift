import ArgumentParser
import Bluetooth
import Engine
import Families
import Foundation
import Journal
import Manifest
import Model
import Reporting
import Session
import Waiting

/// `roboprov apply`: the job itself.
struct ApplyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Provision a building's sensors, prove each one on air, and leave a report.",
    discussion: """
      Listens, decides which sensor belongs to which room, and provisions as many at once as the Bluetooth adapters \
      can. Run again, it does what is left.

      What happened is in <dir>/<building>/<run>/: report.json, report.csv, a log per device, and the journal, \
      from which `roboprov report` makes them again. <dir>/<building>/latest points to the newest run that reached \
      the radio. Ctrl-C stops a run: active devices finish, the reports are written. A second one stops it immediately.

      A rehearsal (--simulate) begins with what is on record and changes none of it: its reports are in \
      <dir>/<building>/rehearsals/<run>/.

      \(ExitStatus.help)
      """)

  @Argument(
    help: ArgumentHelp("The building: rooms, minors, WiFi.", valueName: "building.yaml"), completion: .yaml)
  var manifest: String

  @OptionGroup var work: WorkOptions

  @Option(
    help: ArgumentHelp(
      """
      Do what this plan says, which `roboprov plan --save` wrote, or nothing. It has the rooms, but no permissions: \
      give --force, --rebind, --overwrite and --renumber again.
      """, valueName: "file"), completion: .file())
  var plan: String?

  @OptionGroup var places: RecordOptions

  @OptionGroup var radio: RadioOptions

  @Option(
    help: ArgumentHelp(
      "At most so many devices at once, over all adapters; as many as they can if absent.", valueName: "n"))
  var parallel: Int?

  @Flag(help: "One device at a time.")
  var sequential = false

  @Option(
    help: ArgumentHelp(
      "Begin no more rooms once more than so many, or so many in a hundred, have failed.",
      valueName: "n or n%"))
  var maxFailures: FailureAllowance?

  @Flag(help: "Begin no more rooms once one has failed.")
  var failFast = false

  @Flag(
    help: "Go on until every room is done or Ctrl-C: sensors may be switched on meanwhile, floor by floor.")
  var watch = false

  @Option(
    help: ArgumentHelp(
      "Do so many rooms of each WiFi network first, and the rest only after a yes.", valueName: "n"))
  var canary: Int?

  @Option(
    help: ArgumentHelp(
      """
      Have this command say whether the rest may follow, instead of somebody at the terminal: its exit code 0 is yes. \
      It gets the first rooms as JSON on its standard input.
      """, valueName: "command"))
  var canaryCheck: String?

  @Flag(name: [.short, .long], help: "Do not ask before rooms without an address take any sensor.")
  var yes = false

  @Flag(
    help: """
      Wait for Enter at the moment of the action of each device that learns how long ago it was (firefly); else that \
      is when its session begins.
      """)
  var operatorKey = false

  @OptionGroup var simulation: SimulationOptions

  @Option(
    help: """
      What goes to stdout: the summary (text), each event as a line of JSON when it happens (json), or the report as JSON at \
      the end (report).
      """)
  var output = ApplyOutput.text

  @OptionGroup var display: DisplayOptions

  func validate() throws {
    if let parallel, parallel < 1 { throw ValidationError("--parallel takes a number from 1") }
    if let canary, canary < 1 { throw ValidationError("--canary takes a number from 1") }
    guard canaryCheck == nil || canary != nil else {
      throw ValidationError("--canary-check judges the rooms that --canary N does first: give that, too")
    }
    guard maxFailures == nil || !failFast else {
      throw ValidationError("--fail-fast is --max-failures 0: give one of them")
    }
    guard parallel == nil || !sequential else {
      throw ValidationError("--sequential is --parallel 1: give one of them")
    }
    guard plan == nil || work.only.isEmpty && work.skip.isEmpty && !work.failed else {
      throw ValidationError("--plan selects the rooms: leave --only, --skip and --failed to `roboprov plan`")
    }
  }

  func run() async throws {
    let written = try ManifestSource.load(manifest, keepsEnvironment: true)
    guard yes || !written.building.needsConfirmation || Screen.canAnswer else {
      throw CommandFailure(
        .usage,
        "\(manifest) lets rooms take any sensor, which a person must confirm, and nobody is at the terminal",
        cure: "Give --yes where that is meant, or addresses to the rooms.")
    }
    guard canary == nil || canaryCheck != nil || Screen.canAnswer else {
      throw CommandFailure(
        .usage, "--canary waits for somebody's yes, and nobody is at the terminal",
        cure: "Give --canary-check with a command that says whether the rest may follow.")
    }
    guard !operatorKey || Screen.canAnswer else {
      throw CommandFailure(
        .usage, "--operator-key waits for somebody at the terminal, and nobody is there",
        cure: "Leave it out: then each session's beginning is the moment of its action.")
    }
    let saved = try plan.map { try SavedPlan.load($0, for: written) }
    let scope = try WorkScope(work, of: written.building, plan: saved)
    let source = try SecretResolver.resolve(written, for: scope, isRehearsal: simulation.simulate)
    if let plan, let saved {
      try SavedPlan.requireSamePasswords(
        saved, plan, in: source.building, SiteRecord.existingSeal(for: source.building, work.seal))
    }
    let result =
      simulation.simulate
      ? try await rehearse(source, scope, saved)
      : try await provision(source, scope, saved)
    if result != .done { throw result.exit }
  }

  private func provision(
    _ source: ManifestSource, _ scope: WorkScope, _ plan: ApplyPlan?
  ) async throws -> ExitStatus {
    let run = RunIdentity(operatedBy: places.operatedBy)
    // What files show is reported before the bus is opened. A building without a folder is locked once there is a bus.
    let first = try preflight(source, scope, plan, for: run, isBeginning: false)
    defer { first.lock?.release() }
    try Preflight.checkHost(first.undertaking, manifest: manifest, reports: places.reports)
    return try await SleepInhibitor.holding(why: "Provisioning \(source.building.name.visible)") {
      try await Radio.withSystem { setup in
        let checked =
          first.lock == nil ? try preflight(source, scope, plan, for: run, isBeginning: true) : first
        defer { checked.lock?.release() }
        return try await carryOut(checked.undertaking, as: run, setup)
      }
    }
  }

  private func preflight(
    _ source: ManifestSource, _ scope: WorkScope, _ plan: ApplyPlan?, for run: RunIdentity, isBeginning: Bool
  ) throws -> Preflight {
    try Preflight(
      source, scope, work.seal, in: places.reports, plan: plan, for: run, isBeginning: isBeginning)
  }

  /// Does the same in a virtual building, from what is on record by now. It changes no record, so it needs no lock: a run
  /// may go on beside it.
  private func rehearse(
    _ source: ManifestSource, _ scope: WorkScope, _ plan: ApplyPlan?
  ) async throws -> ExitStatus {
    var undertaking = try Undertaking(source, scope, work.seal, in: places.reports, plan: plan)
    if simulation.scenario == nil, plan == nil {
      let labels = Rehearsal.supplyingLabels(source.building, undertaking.known)
      if labels.count > 0 {
        Console.say("Rehearsal: made-up labels for \(labels.count.rooms)")
        var supplied = source
        supplied.building = labels.building
        undertaking = try Undertaking(supplied, scope, work.seal, in: places.reports)
      }
    }
    return try await Radio.with(simulation, rehearsing: undertaking.subject) { [undertaking] setup in
      try await carryOut(undertaking, as: RunIdentity(operatedBy: places.operatedBy), setup)
    }
  }

  private func carryOut(
    _ undertaking: Undertaking, as run: RunIdentity, _ setup: Radio.Setup
  ) async throws -> ExitStatus {
    if undertaking.nothingLeft == nil {
      try await Preflight.awaitAdapter(
        undertaking, radio, setup, kernel: .ofThisHost(unless: simulation.simulate))
    }
    // From here on Ctrl-C is a request to stop in order; until here nothing has begun, and it ends the program.
    let stopped = OneShot<Void>()
    let interruptions = Interruptions { stopped.fulfill() }
    defer { withExtendedLifetime(interruptions) {} }
    if let words = undertaking.nothingLeft {
      Console.say(words)
      return .done
    }
    var request = undertaking.request(
      as: run, manifest: manifest, simulation, radio, parallel: sequential ? 1 : parallel,
      failures: failFast ? .number(0) : maxFailures)
    request.isWatching = watch
    request.canaries = canary
    let progress = LiveProgress(
      clock: setup.clock,
      display.progress(
        output, earlierPace: { [archive = undertaking.archive] in TimeEstimate(archive).pace }),
      ask: { interruptions.ask($0) })
    let notifier = display.notify.map { Notifier($0) }
    let execution = RunExecution(
      undertaking: undertaking, run: run, setup: setup, places: places, isSimulated: simulation.simulate)
    let person = RunExecution.Operator(
      confirm: { [yes] proposals in
        if yes { return true }
        return await progress.pausing { await Confirmation.ask(proposals) }
      },
      judge: { [canaryCheck, building = request.building] first in
        await progress.pausing { await CanaryJudgement.of(first, in: building, by: canaryCheck) }
      },
      action: { [operatorKey, clock = setup.clock] room in
        guard operatorKey else { return nil }
        return await progress.pausing { await OperatorKey.wait(for: room, clock) }
      },
      requests: interruptions.requests)
    let result = try await execution.carryOut(
      request, asking: person, progress, watch: { notifier?.take($0) }, stopped: stopped
    ) { report, after, directory in
      notifier?.finish()
      switch output {
      case .json: break
      case .report: RunOutput.show(report, after: after, in: directory, as: .json)
      case .text:
        RunOutput.show(report, after: after, in: directory, next: nextCommand(report), as: .text)
      }
    }
    return try result.status(adapter: radio.adapter.first)
  }

  /// The command that does what is left.
  private func nextCommand(_ report: RunReport) -> String {
    if report.selected.contains(where: { $0.reason?.code == .addressMissing }) {
      return "roboprov capture \(manifest.shellQuoted)"
    }
    var words = ["roboprov apply", manifest.shellQuoted]
    if simulation.simulate { words.append("--simulate") }
    if let scenario = simulation.scenario { words.append("--scenario \(scenario.shellQuoted)") }
    if !radio.adapter.isEmpty {
      words.append("--adapter " + radio.adapter.map(\.shellQuoted).joined(separator: " "))
    }
    return words.joined(separator: " ") + Preferences.argument(naming: places.reports)
  }
}
