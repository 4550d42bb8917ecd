import Application
import ArgumentParser
import Reporting

/// Options of every command that uses the radio: the real one, or a virtual building.
struct SimulationOptions: ParsableArguments {
  @Flag(
    help: "Rehearse on a virtual building made from the manifest, or on the one that --scenario describes.")
  var simulate = false

  @Option(
    help: ArgumentHelp(
      "With --simulate: the virtual building to rehearse on.", valueName: "file"), completion: .yaml)
  var scenario: String?

  @Option(
    help: ArgumentHelp(
      "With --simulate: the seed of all random values. The same seed gives the same run.",
      valueName: "n"))
  var seed: UInt64?

  /// The radio that the options select.
  var access: BluetoothAccess {
    var access = BluetoothAccess.system
    if simulate { access.rehearsal = .init(scenario: scenario, seed: seed) }
    return access
  }

  /// The options as they follow the manifest in a command line: ` --simulate --scenario file`.
  var words: String {
    guard simulate else { return "" }
    return " --simulate" + (scenario.map { " --scenario \($0.shellQuoted)" } ?? "")
      + (seed.map { " --seed \($0)" } ?? "")
  }

  func validate() throws {
    if !simulate, scenario != nil || seed != nil {
      throw ValidationError("--scenario and --seed describe a virtual building: give --simulate with them")
    }
  }
}

extension BluetoothAccess {
  /// The radio of this computer.
  static var system: BluetoothAccess {
    BluetoothAccess(log: LogLevel.logger(Preferences.current.logLevel))
  }
}
