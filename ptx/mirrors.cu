// Structs in device memory that a Rust program mirrors by hand, as virtual machines and renderers do: columns of a trace,
// tables of interactions, records of instructions, trees. Kernels take pointers to them.
using uint8_t = unsigned char;
using uint32_t = unsigned;

struct Light {
    float intensity;
    float range;
    unsigned kind;
    float4 color;
    float direction[3];
};

namespace vm {
enum class Op : uint32_t { Add, Sub, Load = 16 };

template <typename T> struct ExecutionState {
    T pc;
    T timestamp;
};

// Columns of a trace: arrays of field elements, nested.
struct AdapterCols {
    ExecutionState<uint32_t> from_state;
    uint32_t rd_ptr;
    uint32_t rs1_ptr;
    uint32_t reads_aux[2][3];
};

struct CoreCols {
    uint8_t a[4];
    uint8_t b[4];
    uint32_t opcode_flags[3];
};

struct BaseAluCols {
    AdapterCols adapter;
    CoreCols core;
};

// A record with a tag and a union.
struct Record {
    uint32_t tag;
    uint32_t timestamp;
    union {
        uint32_t immediate;
        float scale;
    } operand;
    Op op;
};

struct Span {
    Record const *records;
    unsigned long long len;
    unsigned long long height;
};

struct Flags {
    uint32_t is_write : 1;
    uint32_t width : 7;
    uint32_t address;
    uint32_t length;
};

struct Header {
    uint32_t air_id;
    uint32_t height;
};

struct Trace : Header {
    uint32_t width;
    uint32_t offset;
};

struct Hidden;

struct Node {
    float key;
    float weight;
    Node *left;
    Node *right;
    Span spans[2];
};

// Several pointers deep.
struct Machine {
    Span const *spans;
    Node *root;
    Trace *traces[2];
    Hidden *hidden;
    void *scratch;
    unsigned char *bytes;
    BaseAluCols (*rows)[4];
    Flags *flags;
};

template <typename T> struct Buffer {
    T *data;
    uint32_t rows;
    uint32_t columns;
};

// A pointer to an instance of a template, in a struct that is not a template.
struct Scene {
    Buffer<Record> const *buffers[2];
    Buffer<float> *depth;
};

__global__ void fill(BaseAluCols *rows, Span const *spans, uint32_t n) {
    if (threadIdx.x < n) {
        rows[threadIdx.x].adapter.rd_ptr = spans[0].records[threadIdx.x].timestamp;
    }
}
} // namespace vm

extern "C" {
__global__ void lit(const Light *lights, float *out, int n) {
    if (threadIdx.x < n) {
        out[threadIdx.x] = lights[threadIdx.x].intensity * lights[threadIdx.x].color.x;
    }
}

__global__ void records(const vm::Record *records, vm::Flags const *flags, vm::Trace const *traces, uint32_t *out) {
    out[threadIdx.x] = records[threadIdx.x].tag + flags[threadIdx.x].address + traces[threadIdx.x].width;
}

__global__ void walk(vm::Node *root, float *out) {
    out[0] = root->left->key + root->right->weight;
}

__global__ void run(vm::Machine machine, vm::Machine *all, vm::Machine **each, uint32_t *out) {
    out[0] = machine.rows[1][2].core.a[3] + all->traces[1]->width + each[0]->spans->len;
}

__global__ void draw(vm::Scene const *scene, vm::Scene by_value, float *out) {
    out[0] = scene->buffers[1]->data->tag + by_value.depth->data[scene->depth->rows];
}

__global__ void buffers(vm::Buffer<float> in, vm::Buffer<vm::Record> const *records, float (*rows)[4]) {
    rows[0][1] = in.data[0] + records->data[0].timestamp;
}
}
