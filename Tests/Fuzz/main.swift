// `roboprov-fuzz --target=NAME [libFuzzer's options and corpora]`. Only Scripts/fuzz builds it.
import Glibc

@_silgen_name("LLVMFuzzerRunDriver")
private func runLibFuzzer(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ takeInput: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The target of the command line. libFuzzer ignores options that begin with two dashes and passes them to
/// the processes that it starts.
private enum Chosen {
  static let target: FuzzTarget = {
    let option = "--target="
    let name = CommandLine.arguments.dropFirst().first { $0.hasPrefix(option) }?.dropFirst(option.count)
    if let target = name.flatMap({ FuzzTarget[name: String($0)] }) { return target }
    for target in FuzzTarget.all { print(option + target.name) }
    exit(64)
  }()
}

_ = Chosen.target
private var count = CommandLine.argc
private var arguments = CommandLine.unsafeArgv
exit(
  runLibFuzzer(&count, &arguments) { bytes, count in
    // The bytes are valid only during this call.
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    do {
      try Chosen.target.check(input)
    } catch {
      fatalError("\(Chosen.target.name): \(error)")
    }
    return 0
  })
