import Application
import ArgumentParser
import Engine
import FoundationEssentials
import Host
import Journal
import Model
import Reporting
import Waiting

/// `roboprov apply`: provisions the rooms of a manifest.
struct ApplyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Provision the sensors of a building, verify each one on air, and write reports.",
    discussion: """
      roboprov apply building.yaml
      roboprov apply building.yaml --only floor:3 --parallel 4
      roboprov apply building.yaml --simulate

      Scans, decides which sensor belongs to which room, and provisions the sensors in parallel on all Bluetooth adapters. A \
      second run provisions only the rooms that are not done.

      Each run writes to <dir>/<building>/<run>/: the journal, report.json, report.csv and a log for each device. `roboprov \
      report` makes these reports from the journal again. <dir>/<building>/latest points to the newest run that used the \
      radio. The first Ctrl-C stops the run: the active devices are finished and the reports written. The second Ctrl-C stops it \
      immediately.

      A rehearsal (--simulate) starts from the building's record and does not change it. Its reports are in \
      <dir>/<building>/rehearsals/<run>/. At a terminal it runs at the scenario's speed (without --scenario ten times as fast as \
      a real run), otherwise as fast as the computer can; with --watch always at the scenario's speed.

      \(ExitStatus.helpOfRuns)
      """)

  @Argument(
    help: ArgumentHelp("The building: rooms, minors, WiFi.", valueName: "building.yaml"), completion: .yaml)
  var manifest: String

  @OptionGroup(title: SelectionOptions.everyDay) var selection: SelectionOptions
  @OptionGroup(title: SelectionOptions.everyDay) var simulation: SimulationOptions
  @OptionGroup(title: SelectionOptions.everyDay) var everyDay: EveryDayOptions
  @OptionGroup(title: "Course of the run") var course: CourseOptions
  @OptionGroup(title: "Permissions") var permissions: PermissionOptions
  @OptionGroup(title: "Display") var display: DisplayOptions
  @OptionGroup(title: "Record") var record: RecordOptions
  @OptionGroup(title: "Record") var seal: SealOptions
  @OptionGroup(title: "Radio") var radio: RadioOptions

  struct EveryDayOptions: ParsableArguments {
    @Flag(
      name: [.short, .long],
      help:
        "Assign sensors to rooms with `match: any` or `near` without asking. The report names these rooms.")
    var yes = false

    @Flag(
      help: "Continue until every room is done or Ctrl-C, so that sensors can be switched on floor by floor.")
    var watch = false

    @Option(
      help: ArgumentHelp(
        """
        Apply exactly this plan, which `roboprov plan --save` wrote; if the result would differ, stop before the first write. \
        The plan selects the rooms but grants no permissions: repeat --force, --rebind, --overwrite and --renumber.
        """, valueName: "file"), completion: .file())
    var plan: String?

    @Option(
      name: .output,
      help: """
        Format of stdout: the summary (text), one line of JSON for each event as it happens (json), or the report as JSON at \
        the end (report).
        """)
    var output = ApplyOutput.text
  }

  struct CourseOptions: ParsableArguments {
    @Option(
      help: ArgumentHelp(
        "Work on at most N devices at the same time, over all adapters. Default: as many as the adapters can hold.",
        valueName: "n"))
    var parallel: Int?

    @Option(
      help: ArgumentHelp(
        """
        Start no more rooms after more than N failures, or after failures in more than N % of the selected rooms; 0: after the \
        first.
        """,
        valueName: "n or n%"))
    var maxFailures: FailureAllowance?

    @Option(
      help: ArgumentHelp(
        "Provision N rooms of each WiFi network first, then ask before the other rooms.", valueName: "n"))
    var canary: Int?

    @Flag(
      help: """
        For device families that store the time since installation (\(BuiltIn.perAction)): wait for Enter at the moment of the \
        action. Default: the moment is the start of the device's session.
        """)
    var operatorKey = false

    func validate() throws {
      if let parallel, parallel < 1 { throw ValidationError("--parallel takes a number from 1") }
      if let canary, canary < 1 { throw ValidationError("--canary takes a number from 1") }
    }
  }

  func validate() throws {
    try permissions.check(with: selection)
    guard everyDay.plan == nil || selection.only.isEmpty && selection.skip.isEmpty && !selection.failed else {
      throw ValidationError(
        "--plan selects the rooms: give --only, --skip and --failed to `roboprov plan` instead")
    }
  }

  func run() async throws {
    let written = try ManifestSource.load(manifest, keepsEnvironment: true)
    guard everyDay.yes || !written.building.needsConfirmation || Screen.canAnswer else {
      throw CommandFailure(
        .usage,
        "the devices of rooms in \(manifest) (`match: any` or `near`) need confirmation, and stdin is not a terminal",
        advice: "Confirm with --yes, or give the rooms addresses: `roboprov capture \(manifest.shellQuoted)`."
      )
    }
    guard course.canary == nil || Screen.canAnswer else {
      throw CommandFailure(
        .usage, "--canary asks for confirmation, and stdin is not a terminal",
        advice: "Provision the first rooms with --only, check them, then run `roboprov apply` without it.")
    }
    guard !course.operatorKey || Screen.canAnswer else {
      throw CommandFailure(
        .usage, "--operator-key waits for a key, and stdin is not a terminal",
        advice: "Leave it out; the start of each session then counts as the moment of the action.")
    }
    let saved = try everyDay.plan.map { try SavedPlan.load($0, for: written) }
    let scope = try WorkScope(selection, permissions, of: written.building, plan: saved)
    let source = try SecretResolver.resolve(
      written, for: scope, isRehearsal: simulation.simulate, asking: SecretPrompt.ask)
    if let plan = everyDay.plan, let saved {
      try SavedPlan.requireSamePasswords(
        saved, plan, in: source.building, SiteKey.existingSeal(for: source.building, seal.siteKey))
    }
    let result =
      simulation.simulate
      ? try await rehearse(source, scope, saved)
      : try await provision(source, scope, saved)
    if result != .done { throw result }
  }

  private func provision(
    _ source: ManifestSource, _ scope: WorkScope, _ plan: ApplyPlan?
  ) async throws -> ExitStatus {
    let run = RunIdentity(operatedBy: record.keeping.operatedBy)
    // Checks that need only files run before the bus is opened. A building without a folder has nothing to
    // lock yet: it is locked once the bus is open.
    let first = try preflight(source, scope, plan, for: run, isBeginning: false)
    defer { first.lock?.release() }
    try Preflight.checkHost(first.prepared, manifest: manifest, reports: record.reports)
    return try await SleepInhibitor.holding(why: "Provisioning \(source.building.name.visible)") {
      try await BluetoothAccess.system.joining(radio.hosts, of: source.building).with { stack in
        let checked =
          first.lock == nil ? try preflight(source, scope, plan, for: run, isBeginning: true) : first
        defer { checked.lock?.release() }
        return try await carryOut(checked.prepared, as: run, stack)
      }
    }
  }

  private func preflight(
    _ source: ManifestSource, _ scope: WorkScope, _ plan: ApplyPlan?, for run: RunIdentity, isBeginning: Bool
  ) throws -> Preflight {
    try Preflight(
      source, scope, siteKey: seal.siteKey, in: record.reports, plan: plan, for: run,
      isBeginning: isBeginning)
  }

  /// Runs on a virtual copy of the building, from its record. A rehearsal changes no record, so it needs no
  /// lock and can run beside a real run.
  private func rehearse(
    _ source: ManifestSource, _ scope: WorkScope, _ plan: ApplyPlan?
  ) async throws -> ExitStatus {
    let prepared = try PreparedRun(
      rehearsing: source, scope, siteKey: seal.siteKey, in: record.reports, plan: plan,
      hasScenario: simulation.scenario != nil)
    let pace: Rehearsal.Pace = everyDay.watch || Screen.standardError.isTerminal ? .watched : .virtual
    return try await simulation.access.with(rehearsing: prepared.subject, at: pace) {
      [prepared] stack in
      try await carryOut(prepared, as: RunIdentity(operatedBy: record.keeping.operatedBy), stack)
    }
  }

  private func carryOut(
    _ prepared: PreparedRun, as run: RunIdentity, _ stack: BluetoothStack
  ) async throws -> ExitStatus {
    if prepared.nothingLeft == nil {
      try await Preflight.awaitAdapter(prepared, radio.choice, stack)
    }
    // From here on Ctrl-C requests an orderly stop. Before this line nothing has begun, and Ctrl-C ends the
    // program.
    let stopped = OneShot<Void>()
    let interruptions = Interruptions { stopped.fulfill() }
    defer { withExtendedLifetime(interruptions) {} }
    if let words = prepared.nothingLeft {
      Console.say(words)
      return .done
    }
    var request = prepared.request(
      as: run, manifest: manifest, isSimulated: stack.isSimulated, radio.choice, scanTime: radio.scanTime,
      parallel: course.parallel, failures: course.maxFailures)
    request.isWatching = everyDay.watch
    request.canaries = course.canary
    let progress = LiveProgress(
      clock: stack.clock,
      display.progress(everyDay.output),
      ask: { interruptions.ask($0) })
    let execution = RunExecution(
      prepared: prepared, run: run, stack: stack, keeping: record.keeping)
    let person = RunExecution.Operator(
      confirm: { [yes = everyDay.yes] proposals in
        if yes { return .option }
        return await progress.pausing { await RunQuestions.consent(to: proposals) }
      },
      judge: { [building = request.building] first in
        await progress.pausing { await RunQuestions.judgement(of: first, in: building) }
      },
      action: { [operatorKey = course.operatorKey, clock = stack.clock] room in
        guard operatorKey else { return nil }
        return await progress.pausing { await RunQuestions.action(in: room, clock) }
      },
      requests: interruptions.requests)
    let result = try await execution.carryOut(
      request, asking: person, on: progress, stopped: stopped
    ) { report, after, directory in
      switch everyDay.output {
      case .json: break
      case .report: RunOutput.show(report, after: after, in: directory, as: .json)
      case .text:
        RunOutput.show(
          report, after: after, in: directory, next: nextCommand(report, after, prepared),
          isBelowProgress: true,
          as: .text)
      }
    }
    return try result.status(adapter: radio.adapter.first)
  }

  /// The line with the command to run next; nil when nothing is left.
  private func nextCommand(
    _ report: RunReport, _ after: BuildingReport?, _ prepared: PreparedRun
  ) -> String? {
    let missing = report.selected.contains { $0.reason?.code == .addressMissing }
    if missing || prepared.hasMadeUpLabels {
      return "Next: roboprov capture \(manifest.shellQuoted)\(simulation.words)"
    }
    let failed = report.selected.filter { !$0.outcome.isSuccess }
    let isForced = failed.contains { prepared.known.permissions.force.contains($0.id) }
    let isLeft = after.map { !$0.isDone || isForced } ?? !failed.isEmpty
    // What succeeded in a rehearsal is still to be done.
    guard isLeft || simulation.simulate else { return nil }
    var words = [isLeft ? "Next:" : "For real:", "roboprov apply", manifest.shellQuoted]
    if isLeft, simulation.simulate { words.append(String(simulation.words.dropFirst())) }
    if !radio.adapter.isEmpty {
      words.append("--adapter " + radio.adapter.map(\.shellQuoted).joined(separator: " "))
    }
    return words.joined(separator: " ") + Preferences.argument(naming: record.reports)
  }
}

extension FailureAllowance: ExpressibleByArgument {}
