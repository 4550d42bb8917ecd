import ArgumentParser
import Bluetooth
import Foundation
import Provisioning
import Reporting

/// Makes sure that a sensor that is taken out of service is not on air with its minor any more: its successor would
/// be taken for it.
struct SilenceOptions: ParsableArguments {
  @Flag(help: "Do not listen whether the sensor is silent; `apply` listens before it writes its successor.")
  var unheard = false

  @OptionGroup var radio: RadioOptions
  @OptionGroup var simulation: SimulationOptions
}

extension SilenceOptions {
  /// Listens, and says whether each device is silent; nil when nobody listened.
  /// - Throws: `CommandFailure` when one of them is at work still, or nobody can listen.
  func check(
    _ devices: [BluetoothAddress], rehearsing building: Building?, cancelledBy interruptions: Interruptions
  ) async throws -> [BluetoothAddress: Bool] {
    guard !unheard, !devices.isEmpty else { return [:] }
    let air = try await Radio.with(simulation, rehearsing: building) { setup in
      try await interruptions.cancelling { try await listen(setup) }
    }
    for device in devices {
      guard let sighting = air[device], case .configured(let beacon) = sighting.life.recognition else {
        continue
      }
      let signal = sighting.rssi.map { " at \($0) dBm" } ?? ""
      throw CommandFailure(
        .incomplete, "\(device) is still on air with minor \(beacon.minor)\(signal); nothing was recorded",
        cure: "Switch it off, or put it into provisioning mode, and give the same command again.")
    }
    return Dictionary(uniqueKeysWithValues: devices.map { ($0, air[$0] == nil) })
  }

  private func listen(_ setup: Radio.Setup) async throws -> AirLedger {
    let selection = AdapterSelection(
      central: setup.central, clock: setup.clock, wanted: radio.adapter, patience: .seconds(radio.adapterWait)
    )
    do throws(CentralError) {
      let adapter = try await selection.adapter { Console.say(RadioTrouble.waiting($0)) }
      Console.say("Listening on \(adapter.name) for \(radio.listen.formatted()) s")
      return try await Survey(central: setup.central, clock: setup.clock)
        .listen(on: adapter.id, for: .seconds(radio.listen)) { _ in }
    } catch  where error.code == .cancelled {
      throw ExitStatus.interrupted.exit
    } catch {
      throw RadioTrouble.failure(error, adapter: radio.adapter)
    }
  }
}
