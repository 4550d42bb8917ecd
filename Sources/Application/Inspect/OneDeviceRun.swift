import FoundationEssentials
package import Host
package import Journal
import Model
package import Reporting
import Waiting

/// Writes the settings of one device as a run of its own, with the session, evidence and record of `apply`.
package struct OneDeviceRun: Sendable {
  let keeping: RecordKeeping
  let adapters: AdapterChoice
  let scanTime: Double
  let mayOverwrite: Bool

  package init(keeping: RecordKeeping, adapters: AdapterChoice, scanTime: Double, mayOverwrite: Bool) {
    (self.keeping, self.adapters, self.scanTime, self.mayOverwrite) = (
      keeping, adapters, scanTime, mayOverwrite
    )
  }

  /// Carries out the run. It is not compared with earlier runs: the operator names the device and its
  /// settings.
  /// - Throws: `CommandFailure` if it cannot begin, or cannot be recorded.
  package func write(
    _ device: OneDevice, _ stack: BluetoothStack, asking prompt: SecretResolver.Prompt,
    on display: (Interruptions) -> some RunDisplay, show: (RunReport, BuildingReport?, RunDirectory) -> Void
  ) async throws -> ExitStatus {
    let written = try device.source()
    let building = written.building
    let scope = WorkScope(
      RoomSelection(), RecordPermissions(overwrite: mayOverwrite ? Set(building.rooms.map(\.id)) : []))
    let source = try SecretResolver.resolve(
      written, for: scope, isRehearsal: stack.isSimulated, asking: prompt)
    let run = RunIdentity(operatedBy: keeping.operatedBy)
    let lock = try Claims.building(building.id, in: keeping.reports, for: run)
    defer { lock.release() }
    let prepared = PreparedRun(alone: source, scope.permissions)
    let stopped = OneShot<Void>()
    let interruptions = Interruptions { stopped.fulfill() }
    defer { withExtendedLifetime(interruptions) {} }
    let execution = RunExecution(
      prepared: prepared, run: run, stack: stack, keeping: keeping, reportsBuilding: false)
    let result = try await execution.carryOut(
      prepared.request(
        as: run, manifest: "--set", isSimulated: stack.isSimulated, adapters, scanTime: scanTime),
      asking: .init(requests: interruptions.requests), on: display(interruptions), stopped: stopped,
      show: show)
    return try result.status(adapter: adapters.names.first)
  }
}
