import Bluetooth
import Engine
import FoundationEssentials
import Journal
import Model
import Reporting
import Session
import Waiting

/// Writes the settings of one device as a run of its own, with the session, evidence and record of `apply`.
struct OneDeviceRun: Sendable {
  let places: RecordOptions
  let radio: RadioOptions
  let simulation: SimulationOptions
  let mayOverwrite: Bool
  let output: OutputFormat

  /// Carries out the run. It is not compared with earlier runs: the operator names the device and its
  /// settings.
  /// - Throws: `CommandFailure` if it cannot begin, or cannot be recorded.
  func write(
    _ device: OneDevice, at address: BluetoothAddress, _ setup: Radio.Setup
  ) async throws -> ExitStatus {
    let written = try ManifestSource.made(device.manifest, named: "--set")
    let building = written.building
    let scope = WorkScope(
      RoomSelection(), RecordPermissions(overwrite: mayOverwrite ? Set(building.rooms.map(\.id)) : []))
    let source = try SecretResolver.resolve(written, for: scope, isRehearsal: simulation.simulate)
    let run = RunIdentity(operatedBy: places.operatedBy)
    let lock = try Claims.building(building.id, in: places.reports, for: run)
    defer { lock.release() }
    let undertaking = Undertaking(alone: source, scope.permissions)
    let stopped = OneShot<Void>()
    let interruptions = Interruptions { stopped.fulfill() }
    defer { withExtendedLifetime(interruptions) {} }
    let execution = RunExecution(
      undertaking: undertaking, run: run, setup: setup, places: places, isSimulated: simulation.simulate,
      reportsBuilding: false)
    let progress = LiveProgress(clock: setup.clock, ask: { interruptions.ask($0) })
    let result = try await execution.carryOut(
      undertaking.request(as: run, manifest: "--set", simulation, radio),
      asking: .init(requests: interruptions.requests), progress, stopped: stopped
    ) {
      RunOutput.show($0, after: $1, in: $2, as: output)
    }
    return try result.status(adapter: radio.adapter.first)
  }
}
